// Changes the owner of a folder that its present owner may still write to. A plain recursive chown by root would follow a link that the owner
// slipped in, so each folder becomes root's before its content is changed.
import { chmodSync, lchownSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export function changeOwner(path: string, uid: number): void {
  if (lstatSync(path).isDirectory()) {
    lchownSync(path, 0, 0)
    // The owner may have given access to all users.
    chmodSync(path, 0o700)
    for (const name of readdirSync(path)) changeOwner(join(path, name), uid)
  }
  lchownSync(path, uid, uid)
}
