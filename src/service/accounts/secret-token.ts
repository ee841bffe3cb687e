// Random tokens for keys, links and sessions. The database stores only digests.
import { createHash, randomBytes } from 'node:crypto'

export const newToken = (): string => randomBytes(32).toString('base64url')

export const digestOfToken = (token: string): Buffer => createHash('sha256').update(token).digest()
