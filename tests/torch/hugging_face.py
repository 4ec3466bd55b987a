"""Small models of `transformers`, made from configurations: losses of a few steps, outputs and generated tokens must be the CPU's."""

import torch
import torch_npu
from transformers import BertConfig, BertForMaskedLM, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

SIZES = {"vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
MODELS = {
    "bert": lambda: BertForMaskedLM(BertConfig(**SIZES, max_position_embeddings=32)),
    "gpt2": lambda: GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=32, n_embd=32, n_layer=2, n_head=4)),
    "llama": lambda: LlamaForCausalLM(LlamaConfig(**SIZES, max_position_embeddings=32, num_key_value_heads=2)),
}


def trained(make, device, steps=5):
    torch.manual_seed(0)
    # Random numbers are the chip's own: no dropout. The layers still are those of training.
    model = make().to(device)
    for layer in model.modules():
        if isinstance(layer, torch.nn.Dropout):
            layer.p = 0.0
        elif hasattr(layer, "attention_dropout") or hasattr(layer, "dropout_prob"):
            layer.attention_dropout = layer.dropout_prob = 0.0
    text = torch.randint(0, 64, (4, 16)).to(device)
    mask = (torch.arange(16) < torch.tensor([16, 16, 12, 9])[:, None]).long().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(input_ids=text, attention_mask=mask, labels=text).loss
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        out = model(input_ids=text).logits.cpu()
        if not model.can_generate():
            return losses, out, None
        return losses, out, model.generate(text[:, :4], max_new_tokens=8, do_sample=False, pad_token_id=0).cpu()


def main():
    for name, make in MODELS.items():
        (losses, out, tokens), (others, other_out, other_tokens) = trained(make, "cpu"), trained(make, "npu")
        loss = max(abs(a - b) / a for a, b in zip(losses, others, strict=True))
        output = ((out - other_out).abs().max() / out.abs().max()).item()
        print(f"{name}: losses differ by {loss:.1e} at most, outputs by {output:.1e}")
        assert loss < 1e-3 and output < 1e-3, name
        assert tokens is None or torch.equal(tokens, other_tokens), name
    torch.npu.synchronize()
    torch.npu.empty_cache()


if __name__ == "__main__":
    main()
