// Redacts links, e-mail addresses and secrets from texts for the log.

const REDACTIONS: readonly (readonly [pattern: RegExp, placeholder: string])[] = [
  [/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)]+/gi, '<link>'],
  [/\b[a-z]{3}-[a-z]{4}-[a-z]{3}\b/gi, '<meeting>'],
  [/[^\s@"'<>(]+@[^\s@"'<>)]+\.[a-z]{2,}/gi, '<address>'],
  [/(?<![\w/.-])[\w-]{24,}(?![\w/.-])/g, '<secret>'],
]

export function redacted(text: string): string {
  return REDACTIONS.reduce((left, [pattern, placeholder]) => left.replace(pattern, placeholder), text)
}
