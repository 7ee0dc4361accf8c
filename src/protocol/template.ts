/** Whether a URI can have come from a URI template. In one pass: the template is the server's and must not cost time. */

const EXPRESSION = /\{[^{}]*\}/;

/** The text outside the braces must be there, in order; what stands for the braces may be anything. */
export function matchesTemplate(template: string, uri: string): boolean {
  const literals = template.split(EXPRESSION);
  const first = literals.shift() ?? '';
  if (literals.length === 0) return uri === template;
  const last = literals.pop() ?? '';
  if (!uri.startsWith(first)) return false;
  let at = first.length;
  for (const literal of literals) {
    const found = uri.indexOf(literal, at);
    if (found === -1) return false;
    at = found + literal.length;
  }
  return uri.endsWith(last) && uri.length >= at + last.length;
}
