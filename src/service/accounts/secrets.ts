// Seals secrets at rest with AES-256-GCM and binds them to their row.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { orNull } from '../../kit/or-null.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

export type Vault = ReturnType<typeof createVault>

/** Null if it was sealed with another SECRET_KEY. */
export function openOrNull(vault: Vault, owner: string, sealed: Buffer): string | null {
  return orNull(() => vault.open(owner, sealed))
}

export function createVault(secretKey: string) {
  const key = createHash('sha256').update(secretKey).digest()
  return {
    /** `owner` is the id of the secret's row. A secret copied to another row does not open. */
    seal(owner: string, secret: string): Buffer {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner))
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
    },
    open(owner: string, sealed: Buffer): string {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(owner))
        .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
    },
  }
}
