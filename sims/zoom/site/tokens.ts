// Tokens that Zoom has issued: on behalf of a user (OBF), a user's own key (ZAK), and for recording a meeting.
import { randomBytes } from 'node:crypto'

export type Token =
  | { readonly kind: 'obf'; readonly userName: string; readonly meetingNumber: string | null }
  | { readonly kind: 'zak'; readonly userName: string }
  | { readonly kind: 'recording'; readonly meetingNumber: string }

export class Tokens {
  readonly #tokens = new Map<string, Token>()

  issue(token: Token): string {
    const text = randomBytes(24).toString('base64url')
    this.#tokens.set(text, token)
    return text
  }

  find<Kind extends Token['kind']>(kind: Kind, text: string): Extract<Token, { readonly kind: Kind }> | null {
    const token = this.#tokens.get(text)
    return token?.kind === kind ? (token as Extract<Token, { readonly kind: Kind }>) : null
  }
}
