"""Questions about a file: pure functions of FileContext, each answer worked out when first asked."""
