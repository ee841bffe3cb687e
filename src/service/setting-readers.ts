// Readers of settings: each turns the text of a setting into its value, or says what the text must be.
import { ALL_ROLES, type NodeRole } from '../domain/node-roles.ts'

export type Reader<Value> = (text: string) => Value

/** An invalid setting. The message starts with its name. */
export class ConfigError extends Error {}

export const text: Reader<string> = (it) => it
export const optional: Reader<string | undefined> = (it) => it || undefined

export const wholeNumber =
  (least: number, most: number): Reader<number> =>
  (it) => {
    const value = Number(it)
    if (!/^\d+$/.test(it) || value < least || value > most) throw new ConfigError(`must be a whole number from ${least} to ${most}`)
    return value
  }

export const money: Reader<number> = (it) => {
  if (!/^\d+(\.\d+)?$/.test(it)) throw new ConfigError('must be a number, zero or more')
  return Number(it)
}

export const oneOf =
  <Word extends string>(...words: readonly Word[]): Reader<Word> =>
  (it) => {
    const word = words.find((known) => known === it)
    if (word === undefined) throw new ConfigError(`must be one of ${words.join(', ')}`)
    return word
  }

export const boolean: Reader<boolean> = (it) => oneOf('true', 'false')(it) === 'true'

export const secretText =
  (least: number): Reader<string | undefined> =>
  (it) => {
    if (it && it.length < least) throw new ConfigError(`must have at least ${least} characters`)
    return it || undefined
  }

const urlOf =
  (schemes: readonly string[], must: string): Reader<string | undefined> =>
  (it) => {
    if (!it) return undefined
    if (!schemes.includes(URL.parse(it)?.protocol ?? '')) throw new ConfigError(must)
    return it.replace(/\/+$/, '')
  }

export const webUrl = urlOf(['http:', 'https:'], 'must be an http or https URL')
export const socketUrl = urlOf(['ws:', 'wss:', 'http:', 'https:'], 'must be a wss, ws, https or http URL')

/** A URL of an external service, which has a default. */
export const externalUrl: Reader<string> = (it) => webUrl(it) ?? it

export const roles: Reader<readonly NodeRole[]> = (it) => {
  const named = it.split(',').map((name) => name.trim())
  if (!named.every((name) => (ALL_ROLES as readonly string[]).includes(name)))
    throw new ConfigError(`must be one or more of ${ALL_ROLES.join(', ')}, separated by commas`)
  return ALL_ROLES.filter((role) => named.includes(role))
}

export const headerPrefix: Reader<string> = (it) => {
  if (!/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(it)) throw new ConfigError('must be letters, digits and hyphens, for example X-Service')
  return it
}

export const postgresUrl: Reader<string | undefined> = (it) => {
  if (it && !/^postgres(ql)?:\/\//.test(it)) throw new ConfigError('must be a URL such as postgres://user:password@host:5432/emissary')
  return it || undefined
}

/** Splits like a shell: `--proxy-server=http://proxy:3128 "--host-resolver-rules=MAP a b"`. */
export const flags: Reader<readonly string[]> = (it) => {
  const found = it.match(/"[^"]*"|[^\s"]+/g)?.map((flag) => flag.replaceAll('"', '')) ?? []
  if (found.some((flag) => !flag.startsWith('--')))
    throw new ConfigError('must be flags that begin with --, for example --proxy-server=http://proxy:3128')
  return found
}
