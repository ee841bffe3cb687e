// Tokens that open something: long and random, with only their digest in the database.
import { createHash, randomBytes } from 'node:crypto'

export const newToken = (): string => randomBytes(32).toString('base64url')

export const digestOfToken = (token: string): Buffer => createHash('sha256').update(token).digest()
