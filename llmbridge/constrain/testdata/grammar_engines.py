"""Asks a real grammar engine which texts it accepts: grammar_engines.py ENGINE [GGUF]

Standard input has rows {"format": F, "grammar": G, "texts": [...]}; each is answered by a
row {"accepted": [...]}, or {"error": E} where the engine refuses the grammar, or
{"unsupported": true} where it has no such notation. Exit code 77: no such engine here.
"""

import json
import sys


class LLGuidance:
    def __init__(self, _):
        import llguidance

        self.l = llguidance
        self.tokens = llguidance.LLTokenizer("byte")

    def grammar(self, form, text):
        m = self.l.LLMatcher
        make = {"lark": m.grammar_from_lark, "regex": m.grammar_from_regex, "json-schema": m.grammar_from_json_schema}.get(form)
        if make is None:
            return None
        g = make(text)
        bad = m.validate_grammar(g, self.tokens)
        if bad:
            raise ValueError(bad)
        return g

    def accepts(self, g, text):
        m = self.l.LLMatcher(self.tokens, g, log_level=0)
        return m.consume_tokens(list(text.encode())) and m.is_accepting()


class XGrammar:
    def __init__(self, _):
        import xgrammar

        self.x = xgrammar
        info = xgrammar.TokenizerInfo([bytes([b]) for b in range(256)] + ["</s>"], stop_token_ids=[256])
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=1)

    def grammar(self, form, text):
        x = self.x.Grammar
        make = {"gbnf": x.from_ebnf, "regex": x.from_regex, "json-schema": x.from_json_schema}.get(form)
        return make and self.compiler.compile_grammar(make(text))

    def accepts(self, g, text):
        m = self.x.GrammarMatcher(g)
        return m.accept_string(text) and m.accept_token(256)


class LlamaCpp:
    """The sampler of llama.cpp: a token outside the grammar loses all its probability."""

    def __init__(self, gguf):
        import llama_cpp

        if not gguf:
            raise ImportError("llama.cpp needs a GGUF file for its vocabulary")
        self.l = llama_cpp
        self.quiet = llama_cpp.llama_log_callback(lambda level, text, data: None)
        llama_cpp.llama_log_set(self.quiet, None)
        p = llama_cpp.llama_model_default_params()
        p.vocab_only = True
        self.model = llama_cpp.llama_model_load_from_file(gguf.encode(), p)
        self.vocab = llama_cpp.llama_model_get_vocab(self.model)

    def grammar(self, form, text):
        if form == "json-schema":
            from llama_cpp.llama_grammar import json_schema_to_gbnf

            text = json_schema_to_gbnf(text)
        elif form != "gbnf":
            return None
        s = self.l.llama_sampler_init_grammar(self.vocab, text.encode(), b"root")
        if not s:
            raise ValueError("not parsed")
        return s

    def allowed(self, s, token):
        data = (self.l.llama_token_data * 1)(self.l.llama_token_data(token, 0.0, 0.0))
        cand = self.l.llama_token_data_array(data, 1, -1, False)
        self.l.llama_sampler_apply(s, cand)
        return data[0].logit == 0.0

    def accepts(self, s, text):
        raw = text.encode()
        ids = (self.l.llama_token * (len(raw) + 8))()
        n = self.l.llama_tokenize(self.vocab, raw, len(raw), ids, len(ids), False, False)
        self.l.llama_sampler_reset(s)
        for token in ids[:n]:
            if not self.allowed(s, token):
                return False
            self.l.llama_sampler_accept(s, token)
        return self.allowed(s, self.l.llama_vocab_eos(self.vocab))


def main():
    kind = {"llguidance": LLGuidance, "xgrammar": XGrammar, "llama.cpp": LlamaCpp}[sys.argv[1]]
    try:
        engine = kind(sys.argv[2] if len(sys.argv) > 2 else "")
    except ImportError as e:
        print(e, file=sys.stderr)
        sys.exit(77)
    for line in sys.stdin:
        row = json.loads(line)
        try:
            g = engine.grammar(row["format"], row["grammar"])
            out = {"unsupported": True} if g is None else {"accepted": [bool(engine.accepts(g, t)) for t in row["texts"]]}
        except (ValueError, RuntimeError) as e:
            out = {"error": str(e)}
        print(json.dumps(out), flush=True)


main()
