// Damages recorded segments. They keep their length and their header.
import { readFileSync, writeFileSync } from 'node:fs'
import { readMatroska } from '../../../src/kit/matroska/reader.ts'

const LENGTH_BYTES = 4
const PARAMETER_SETS = [7, 8]

/** Replaces every frame by noise. */
export function spoil(file: string): void {
  change(file, (data) => data.fill(0x55))
}

/** Replaces the H.264 parameter sets within the frames by noise. */
export function spoilSets(file: string): void {
  change(file, (data) => {
    for (let at = 0; at + LENGTH_BYTES < data.length; at += LENGTH_BYTES + data.readUInt32BE(at)) {
      const unit = data.subarray(at + LENGTH_BYTES, at + LENGTH_BYTES + data.readUInt32BE(at))
      if (PARAMETER_SETS.includes((unit[0] ?? 0) & 31)) unit.fill(0xff, 1)
    }
  })
}

function change(file: string, damage: (data: Buffer) => void): void {
  const bytes = readFileSync(file)
  for (const { data } of readMatroska(bytes)?.packets ?? []) damage(Buffer.from(data.buffer, data.byteOffset, data.byteLength))
  writeFileSync(file, bytes)
}
