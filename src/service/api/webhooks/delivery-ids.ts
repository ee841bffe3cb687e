// Public ids of deliveries: encrypted sequence numbers, because the plain number would reveal the count of all workspaces.
import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto'
import type { WorkspaceId } from '../../../domain/bot.ts'

export type DeliveryIds = {
  idOf(workspace: WorkspaceId, seq: number): string
  /** Null if the id is not one of this workspace. */
  seqOf(workspace: WorkspaceId, id: string): number | null
}

const ALGORITHM = 'aes-256-ecb'
const SEQ_BYTES = 8

/** An id is one AES block: the number and a workspace tag, which detects forged ids. ECB is safe because no two blocks are equal. */
export function createDeliveryIds(secretKey: string): DeliveryIds {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'emissary delivery ids', 32))
  return {
    idOf(workspace, seq) {
      const number = Buffer.alloc(SEQ_BYTES)
      number.writeBigUInt64BE(BigInt(seq))
      const cipher = createCipheriv(ALGORITHM, key, null).setAutoPadding(false)
      return `dlv_${cipher.update(Buffer.concat([number, markOf(workspace)])).toString('hex')}`
    },
    seqOf(workspace, id) {
      const hex = /^dlv_([0-9a-f]{32})$/.exec(id)?.[1]
      if (!hex) return null
      const block = createDecipheriv(ALGORITHM, key, null).setAutoPadding(false).update(Buffer.from(hex, 'hex'))
      return block.subarray(SEQ_BYTES).equals(markOf(workspace)) ? Number(block.readBigUInt64BE()) : null
    },
  }
}

function markOf(workspace: WorkspaceId): Buffer {
  return createHash('sha256').update(workspace).digest().subarray(0, 8)
}
