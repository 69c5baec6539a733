"""transformers: WhisperForConditionalGeneration in training."""

from common import DEVICE, torch, train
from transformers import WhisperConfig, WhisperForConditionalGeneration

sizes = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2}
more = {"decoder_attention_heads": 2, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "max_source_positions": 20}
tokens = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
config = WhisperConfig(
    vocab_size=99, num_mel_bins=8, suppress_tokens=[], begin_suppress_tokens=[], **sizes, **more, **tokens
)
model = WhisperForConditionalGeneration(config).to(DEVICE)
features, labels = torch.rand(2, 8, 40).to(DEVICE), torch.randint(3, 99, (2, 6)).to(DEVICE)
train(model.parameters(), lambda: model(input_features=features, labels=labels).loss)
