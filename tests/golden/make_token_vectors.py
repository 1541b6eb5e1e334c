"""Writes tests/golden/tokenizers: small tokenizers and the ids transformers gives for hard texts.

Run: python3 tests/golden/make_token_vectors.py (needs transformers; the file records versions).

Per tokenizer a folder with the vocabulary files of a checkpoint (vocabulary/) and the
tokenizer.json that transformers makes of them.  vectors.json.gz holds the texts, and per tokenizer
and text the first 8 hex digits of SHA-256 of "id id id|truncated"; the first 200 texts have their
ids in full.  Vocabularies that are there are kept: training breaks ties by chance.
"""

import gzip
import hashlib
import json
import pathlib
import random

import tokenizers
import transformers
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

FOLDER = pathlib.Path(__file__).parent / "tokenizers"
MAX_TOKENS = 24
TEXTS = 2400
IN_FULL = 200

CORPUS = [
    "The quick brown fox jumps over the lazy dog, and the dog doesn't care at all.",
    "How do I transfer 250 dollars from my checking account to my savings account?",
    "What's the weather like in Paris today? It's raining, they're staying inside.",
    "A photo of a small red bird sitting on a snow-covered branch at sunrise.",
    "Café crème brûlée, naïve façade, über Straße, El Niño mañana, Ørsted, Łódź.",
    "Привет, мир! Сегодня хорошая погода. Ελληνικά γράμματα, τέλος.",
    "今天天气很好,我们去公园吧。日本語のテキストもあります。한국어 문장입니다.",
    "مرحبا بالعالم، كيف حالك؟ שלום עולם. नमस्ते दुनिया। สวัสดีชาวโลก",
    "The model abstains when its confidence is low; the server then says so.",
    "Numbers: 0 1 2 3 4 5 6 7 8 9 10 2024 3.14159 1,000,000 50% #42 @home e-mail.",
    "I'd say we've won, you'll see; he'd better not. THE END. Hello HELLO hello!",
]

# Pieces that break tokenizers, by kind.
PIECES = {
    "space": list(" \t\n\r\v\f\u0085\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000"),
    "control": [chr(c) for c in [*range(0, 32), *range(127, 160)]],
    "invisible": list(
        "\u00ad\u200b\u200c\u200d\u2060\ufeff\u180e\u200e\u200f\u202a\u202e\u2066\u2069"
    ),
    "private": list("\ue000\uf8ff\U000f0000\U0010fffd\ufdd0\ufffe\uffff\U0001ffff\ufffd\u0378"),
    "mark": list(
        "\u0300\u0301\u0308\u0323\u0327\u0338\u20dd\u0483\u05b0\u064b\u093e\u0e31\u3099\ufe0f"
    ),
    "emoji": [
        "\U0001f600",
        "\U0001f468‍\U0001f469‍\U0001f467‍\U0001f466",
        "\U0001f3f3\ufe0f‍\U0001f308",
        "\U0001f44d\U0001f3fd",
        "\U0001f1e9\U0001f1ea",
        "\u2764\ufe0f",
        "\U0001f9d1\U0001f3ff‍\U0001f4bb",
        "\u2603",
        "\U0001fae0",
        "1\ufe0f⃣",
        "\U0001faef",
    ],
    "letters": [
        "İ",
        "ı",
        "ß",
        "ẞ",
        "ǅ",
        "ŉ",
        "ﬁ",
        "Å",
        "Ω",
        "ς",
        "Σ",
        "ＦＵＬＬ",
        "𝓐𝔟",
        "é",
        "e\u0301",
        "ḍ̇",
        "각",
        "각",
        "ﷺ",
        "½",
        "²",
        "Ⅷ",
        "٣",
        "५",
        "㊙",
        "㌀",
        "ｶﾞ",
        "豈",
        "\U00020000",
        "㐀",
        "々",
    ],
    "escape": [
        "\\ud83d\\ude00",
        "\\u0000",
        "&#x1F600;",
        "%F0%9F%98%80",
        "\\xff",
        "\ud7ff",
        "\ue000",
    ],
    "special": [
        "[SEP]",
        "[CLS]",
        "[MASK]",
        "[PAD]",
        "[UNK]",
        " [MASK] ",
        "<s>",
        "</s>",
        "<mask>",
        "  <mask>  ",
        "<pad>",
        "<unk>",
        "<|endoftext|>",
        "<|startoftext|>",
        "[sep]",
        "[ SEP ]",
        "<S>",
        "<|ENDOFTEXT|>",
        "<extra>",
        " <Custom> ",
        "[SEP][SEP]",
        "x<s>y",
        "##ing",
        "</w>",
    ],
    "punctuation": list(".,;:!?'\"()[]{}<>|/\\@#$%^&*_-+=~`")
    + ["'s", "'ll", "'S", "...", "—", "«", "、", "।"],
    "number": ["0", "42", "3.14", "1,000", "1e-5", "0x1F", "２０"],
    "url": [
        "https://example.org/a?b=c&d=%20",
        "user@example.org",
        "C:\\dir\\file.txt",
        "snake_case",
        "camelCase",
    ],
}

BERT = {"unk": "[UNK]", "pad": "[PAD]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}


def words():
    return [word for line in CORPUS for word in line.split()]


def any_character(generator):
    while True:
        code = generator.choice([generator.randrange(0x3000), generator.randrange(0x110000)])
        if not 0xD800 <= code <= 0xDFFF:
            return chr(code)


def piece(generator):
    kind = generator.choice(["word", "word", "word", "any", "long", "cjk", *PIECES])
    if kind == "word":
        word = generator.choice(words())
        return generator.choice([word, word.upper(), word.lower(), word[: len(word) // 2]])
    if kind == "any":
        return any_character(generator)
    if kind == "long":
        return generator.choice("abzé語") * generator.choice([1, 3, 30, 99, 100, 101, 130])
    if kind == "cjk":
        start, end = generator.choice([(0x4E00, 0x9FFF), (0x3041, 0x30FF), (0xAC00, 0xD7A3)])
        return "".join(
            chr(generator.randrange(start, end)) for _ in range(generator.randrange(1, 6))
        )
    return generator.choice(PIECES[kind])


def hard_texts():
    fixed = ["", " ", "   ", "\0", "\n\n", "a", "\ufeff", "\u200b", "[SEP]", "<s></s>", *CORPUS]
    fixed += [member for members in PIECES.values() for member in members]
    fixed += [
        "word " * 400,
        "x" * 5000,
        "語" * 3000,
        "\U0001f600" * 2000,
        " " * 5000,
        "<mask>" * 300,
    ]
    generator = random.Random(20240607)
    while len(fixed) < TEXTS:
        glue = generator.choice(["", "", " ", "  "])
        fixed.append(glue.join(piece(generator) for _ in range(generator.randrange(1, 12))))
    generator.shuffle(fixed)
    return fixed


def write(folder, files):
    target = FOLDER / folder / "vocabulary"
    target.mkdir(parents=True)
    for name, content in files.items():
        text = (
            content if isinstance(content, str) else json.dumps(content, ensure_ascii=False) + "\n"
        )
        (target / name).write_text(text, encoding="utf-8", newline="\n")


def word_piece(lowercase, size):
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=list(BERT.values()), show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    vocabulary = tokenizer.get_vocab()
    return "".join(f"{token}\n" for token in sorted(vocabulary, key=vocabulary.get))


def byte_pairs(suffix, merges, before, after):
    """vocab.json and merges.txt: `before`, all bytes (with the suffix too), merges, `after`."""
    end = {"end_of_word_suffix": suffix} if suffix else {}
    tokenizer = tokenizers.Tokenizer(models.BPE(**end))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=not suffix)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=2000, initial_alphabet=alphabet, show_progress=False, **end
    )
    corpus = [line.lower() for line in CORPUS] if suffix else CORPUS
    tokenizer.train_from_iterator(corpus, trainer)
    pairs = [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]][:merges]
    tokens = [*before, *alphabet, *([a + suffix for a in alphabet] if suffix else [])]
    tokens += dict.fromkeys(a + b for a, b in pairs if a + b not in tokens)
    vocabulary = {token: index for index, token in enumerate([*tokens, *after])}
    return {
        "vocab.json": vocabulary,
        "merges.txt": "#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in pairs),
    }


def added(content, **flags):
    plain = {
        "lstrip": False,
        "rstrip": False,
        "single_word": False,
        "normalized": False,
        "special": True,
    }
    return {"content": content, **plain, **flags}


def make_checkpoints():
    lower, cased = word_piece(True, 400), word_piece(False, 500)
    bert = {"tokenizer_class": "BertTokenizer"}
    write("bert_lower", {"vocab.txt": lower, "config.json": {"model_type": "bert"}})
    write(
        "bert_cased",
        {"vocab.txt": cased, "tokenizer_config.json": {**bert, "do_lower_case": False}},
    )
    decoder = {
        "0": added("[UNK]"),
        "900": added("<Custom>", special=False, normalized=True),
        "901": added("<extra>"),
    }
    write(
        "bert_options",
        {
            "vocab.txt": cased,
            "tokenizer_config.json": {
                "tokenizer_class": "DistilBertTokenizerFast",
                "do_lower_case": False,
                "strip_accents": True,
                "tokenize_chinese_chars": False,
                "added_tokens_decoder": decoder,
            },
        },
    )
    start, end = ["<s>", "<pad>", "</s>", "<unk>"], ["<mask>"]
    pairs = byte_pairs("", 240, start, end)
    write("roberta", {**pairs, "config.json": {"model_type": "roberta"}})
    stripped = {
        key: value for key, value in added("<mask>", lstrip=True).items() if key != "special"
    }
    write(
        "roberta_options",
        {
            **pairs,
            "tokenizer_config.json": {
                "tokenizer_class": "RobertaTokenizer",
                "add_prefix_space": True,
            },
            "special_tokens_map.json": {
                "mask_token": stripped,
                "cls_token": "<s>",
                "sep_token": "</s>",
            },
            "added_tokens.json": {"<extra>": 600, "<Custom>": 601},
        },
    )
    clip = byte_pairs("</w>", 80, [], ["<|startoftext|>", "<|endoftext|>"])
    write("clip", {**clip, "tokenizer_config.json": {"tokenizer_class": "CLIPTokenizer"}})


def reference_ids(tokenizer, texts):
    cut = tokenizer(texts, truncation=True, max_length=MAX_TOKENS)["input_ids"]
    whole = tokenizer(texts)["input_ids"]
    return [{"ids": ids, "truncated": len(full) - len(ids)} for ids, full in zip(cut, whole)]


def digest(entry):
    text = " ".join(map(str, entry["ids"])) + f"|{entry['truncated']}"
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def main():
    if not FOLDER.exists():
        make_checkpoints()
    texts = hard_texts()
    vectors = {
        "versions": {
            "tokenizers": tokenizers.__version__,
            "transformers": transformers.__version__,
        },
        "max_tokens": MAX_TOKENS,
        "texts": texts,
        "tokenizers": {},
    }
    for folder in sorted(path for path in FOLDER.iterdir() if path.is_dir()):
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder / "vocabulary")
        entries = reference_ids(tokenizer, texts)
        vectors["tokenizers"][folder.name] = {
            "first": entries[:IN_FULL],
            "digests": "".join(map(digest, entries)),
        }
        saved = json.loads(tokenizer.backend_tokenizer.to_str())
        saved["truncation"] = {
            "direction": "Right",
            "max_length": 5,
            "strategy": "LongestFirst",
            "stride": 0,
        }
        saved["padding"] = {
            "strategy": {"Fixed": 7},
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": 0,
            "pad_type_id": 0,
            "pad_token": "x",
        }
        text = json.dumps(saved, ensure_ascii=False, separators=(",", ":"))
        (folder / "tokenizer.json").write_text(text + "\n", encoding="utf-8")
        print(folder.name, len(tokenizer), tokenizer.backend_tokenizer.normalizer)
    packed = json.dumps(vectors, separators=(",", ":")).encode()
    (FOLDER / "vectors.json.gz").write_bytes(gzip.compress(packed, 9, mtime=0))


if __name__ == "__main__":
    main()
