"""Names: scopes, bindings, control flow, reaching definitions, modules."""
