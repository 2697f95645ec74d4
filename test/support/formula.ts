/** Reads the formulas of the mapping language (a small part of CEL) into a tree. Only `mapping.ts` uses it. */

export interface Node {
  kind:
    | "text"
    | "number"
    | "truth"
    | "null"
    | "name"
    | "list"
    | "member"
    | "index"
    | "call"
    | "not"
    | "minus"
    | "choice"
    | "binary";
  /** The literal, the name, the member, the function or the sign. */
  word: string;
  parts: Node[];
}

const node = (kind: Node["kind"], word = "", ...parts: Node[]): Node => ({ kind, word, parts });

/** A part that must be there. */
export function part(of: Node, index: number): Node {
  const found = of.parts[index];
  if (found === undefined) throw new Error(`${of.word} has too few parts`);
  return found;
}

const levels: string[][] = [["||"], ["&&"], ["==", "!=", "<", "<=", ">", ">=", "in"], ["+", "-"], ["*", "/", "%"]];

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  const token =
    /\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\d+(?:\.\d+)?|[A-Za-z_][A-Za-z_0-9]*|&&|\|\||[=!<>]=|[-+*/%<>!?:.,()[\]])/y;
  while (text.slice(token.lastIndex).trim() !== "") {
    const at = token.lastIndex;
    const found = token.exec(text);
    if (found?.[1] === undefined) throw new Error(`no formula from character ${at + 1} on: ${text}`);
    tokens.push(found[1]);
  }
  return tokens;
}

export function parseFormula(text: string): Node {
  const tokens = tokensOf(text);
  let at = 0;
  const take = (token: string): boolean => tokens[at] === token && at++ >= 0;
  const demand = (token: string): void => {
    if (!take(token)) throw new Error(`"${token}" is missing before "${tokens[at] ?? "the end"}": ${text}`);
  };

  const list = (end: string): Node[] => {
    const items: Node[] = [];
    while (!take(end)) {
      if (items.length > 0) demand(",");
      items.push(choice());
    }
    return items;
  };

  function choice(): Node {
    const test = binary(0);
    if (!take("?")) return test;
    const yes = choice();
    demand(":");
    return node("choice", "?", test, yes, choice());
  }

  function binary(level: number): Node {
    const signs = levels[level];
    if (signs === undefined) return unary();
    let left = binary(level + 1);
    for (let sign = tokens[at]; sign !== undefined && signs.includes(sign); sign = tokens[at]) {
      at++;
      left = node("binary", sign, left, binary(level + 1));
    }
    return left;
  }

  function unary(): Node {
    if (take("!")) return node("not", "!", unary());
    if (take("-")) return node("minus", "-", unary());
    let value = primary();
    for (;;) {
      if (take(".")) value = node("member", tokens[at++], value);
      else if (take("[")) {
        value = node("index", "[]", value, choice());
        demand("]");
      } else return value;
    }
  }

  function primary(): Node {
    const token = tokens[at++];
    if (token === undefined) throw new Error(`the formula ends too early: ${text}`);
    if (token === "(") {
      const inner = choice();
      demand(")");
      return inner;
    }
    if (token === "[") return node("list", "[]", ...list("]"));
    if (token.startsWith('"')) return node("text", JSON.parse(token) as string);
    if (token.startsWith("'")) return node("text", token.slice(1, -1).replace(/\\(.)/g, "$1"));
    if (/^\d/.test(token)) return node("number", token);
    if (token === "true" || token === "false") return node("truth", token);
    if (token === "null") return node("null");
    if (!/^[A-Za-z_]/.test(token)) throw new Error(`"${token}" is not expected: ${text}`);
    if (!take("(")) return node("name", token);
    return node(token === "iff" ? "choice" : "call", token, ...list(")"));
  }

  const tree = choice();
  if (at < tokens.length) throw new Error(`"${tokens[at]}" is not expected: ${text}`);
  return tree;
}
