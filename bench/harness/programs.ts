// The programs that only the comparison needs: installed as root, otherwise named in an error.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A problem that only the operator can solve. */
export class CannotRun extends Error {}

const PROGRAMS = [
  { command: 'Xvfb', package: 'xvfb' },
  { command: 'pulseaudio', package: 'pulseaudio' },
  { command: 'ffmpeg', package: 'ffmpeg' },
  { command: 'ffprobe', package: 'ffmpeg' },
] as const

export function preparePrograms(): void {
  const missing = PROGRAMS.filter(({ command }) => !isOnPath(command))
  if (missing.length === 0) return
  const packages = [...new Set(missing.map((it) => it.package))]
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...packages]
  const byHand = `Run this and start the bench again:\n  sudo apt-get update && sudo ${install.join(' ')}`
  const names = missing.map(({ command }) => command).join(', ')
  if (process.getuid?.() !== 0 || !isOnPath('apt-get')) throw new CannotRun(`The bench compares with ${names}, which is missing. ${byHand}`)
  console.error(`installing ${packages.join(', ')} with apt-get`)
  // Old package lists may suffice if the update fails. Otherwise the installation reports it.
  run(['apt-get', 'update', '-q'])
  const { ok, output } = run(install)
  if (!ok) throw new CannotRun(`apt-get could not install ${packages.join(', ')}.\n${output}\n${byHand}`)
}

function isOnPath(command: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)))
}

function run([command = '', ...args]: readonly string[]): { readonly ok: boolean; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  return { ok: status === 0, output: `${stdout}${stderr}`.trim() }
}
