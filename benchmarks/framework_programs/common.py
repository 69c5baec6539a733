"""What the programs have in common: a tokenizer, a dataset and tiny models, made without downloads."""

from __future__ import annotations

from pathlib import Path

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "cat", "dog", "sat", "ran"]


def tokenizer_in(folder: str):
    """A tokenizer that knows ten words, kept in a folder."""
    from transformers import BertTokenizerFast

    vocabulary = Path(folder, "vocab.txt")
    vocabulary.write_text("\n".join(WORDS), encoding="utf-8")
    tokenizer = BertTokenizerFast(vocab_file=str(vocabulary))
    tokenizer.eos_token = "[SEP]"
    return tokenizer


def saved_bert(folder: str, **settings):
    """Save a tokenizer and a BERT with one small layer; with settings, a classifier."""
    from transformers import BertConfig, BertForSequenceClassification, BertModel

    tokenizer_in(folder).save_pretrained(folder)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    made = BertForSequenceClassification if settings else BertModel
    made(BertConfig(vocab_size=len(WORDS), **sizes, **settings)).save_pretrained(folder)


def gpt2():
    """A GPT-2 with one small layer."""
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(GPT2Config(n_layer=1, n_head=2, n_embd=16, vocab_size=len(WORDS), n_positions=32))


def dataset(columns: dict[str, list[str]]):
    """A dataset that is held in memory."""
    import pyarrow
    from datasets import Dataset
    from datasets.table import InMemoryTable

    return Dataset(InMemoryTable(pyarrow.table(columns)), fingerprint="rows")
