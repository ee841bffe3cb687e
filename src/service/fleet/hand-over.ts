// Gives a folder to another user although its present owner may still write to it. Root's chown of a tree that its owner can change would
// follow a link that the owner slipped in: so each folder is taken from its owner first, and what it holds is given away after that.
import { chmodSync, lchownSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export function handOver(path: string, uid: number): void {
  if (lstatSync(path).isDirectory()) {
    lchownSync(path, 0, 0)
    // The owner may have opened it to all.
    chmodSync(path, 0o700)
    for (const name of readdirSync(path)) handOver(join(path, name), uid)
  }
  lchownSync(path, uid, uid)
}
