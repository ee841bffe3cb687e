// Strict reader for the JSON of a vendor. An error names the place that is missing or has the wrong type.
import { isJsonObject } from '../../domain/bot.ts'

export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

/** A value and its place in the JSON. */
export class JsonValue {
  readonly value: unknown
  readonly #place: string
  readonly #isWhole: boolean

  /** `isWhole`: its fields are named without its own place. */
  constructor(value: unknown, place: string, isWhole = true) {
    this.value = value
    this.#place = place
    this.#isWhole = isWhole
  }

  /** The field of an object. It may be missing. */
  at(name: string): JsonValue {
    if (!isJsonObject(this.value)) throw this.#wrong('an object')
    return new JsonValue(this.value[name], this.#isWhole ? name : `${this.#place}.${name}`, false)
  }

  list(): JsonValue[] {
    return this.#items().map((_, index) => this.item(index))
  }

  /** Empty for a missing list. */
  listIfAny(): JsonValue[] {
    return this.isMissing ? [] : this.list()
  }

  /** The item of a list. It may be missing. */
  item(index: number): JsonValue {
    return new JsonValue(this.#items()[index], `${this.#place}[${index}]`, false)
  }

  text(): string {
    if (typeof this.value !== 'string') throw this.#wrong('a string')
    return this.value
  }

  textOrNull(): string | null {
    return this.isMissing ? null : this.text()
  }

  number(): number {
    if (typeof this.value !== 'number' || !Number.isFinite(this.value)) throw this.#wrong('a number')
    return this.value
  }

  numberOrNull(): number | null {
    return this.isMissing ? null : this.number()
  }

  get isMissing(): boolean {
    return this.value === undefined || this.value === null
  }

  get isTrue(): boolean {
    return this.value === true
  }

  #items(): readonly unknown[] {
    if (!Array.isArray(this.value)) throw this.#wrong('a list')
    return this.value
  }

  #wrong(wanted: string): Unreadable {
    const { value } = this
    const found = value === undefined ? 'nothing' : value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`
    return new Unreadable(`${this.#place} must be ${wanted}, got ${found}.`)
  }
}

/** `name` is the place of the whole JSON in errors. */
export function parseJson(text: string, name: string): JsonValue {
  try {
    return new JsonValue(JSON.parse(text), name)
  } catch (error) {
    throw new Unreadable(`The answer is not JSON: ${JSON.stringify(text.slice(0, 60))}.`, { cause: error })
  }
}
