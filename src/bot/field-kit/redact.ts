// Redacts the steps of a join. Everything is learnt first, so that a name which is known only in the call is hidden in the lobby, too.
import type { BotSpec, JsonObject } from '../../domain/bot.ts'
import type { FieldStep } from '../../domain/field-kit.ts'
import { at, listAt, textAt } from '../drivers/browser-meeting/json-fields.ts'
import type { RawStep } from '../drivers/browser-meeting/witness.ts'
import type { KnownWords } from './known-words.ts'
import { PageHtml } from './page-html.ts'
import { Payloads } from './payload.ts'
import { Pseudonyms } from './pseudonyms.ts'
import { redactDescription } from './session-description.ts'
import { createFinder } from './withheld.ts'

type RawScreen = Extract<RawStep, { kind: 'screen' }>

export function redactJoin(raw: readonly RawStep[], spec: Pick<BotSpec, 'name' | 'meeting'>, known: KnownWords): readonly FieldStep[] {
  const pseudonyms = new Pseudonyms(known)
  learnOrders(spec, pseudonyms)
  for (const step of raw) learn(step, pseudonyms)
  const payloads = new Payloads(pseudonyms)
  // Messages teach texts and numbers that pages show.
  const messages = new Map(raw.filter(({ kind }) => kind !== 'screen').map((step) => [step, redactStep(step, pseudonyms, payloads)]))
  const steps = raw.map((step) => (step.kind === 'screen' ? redactScreen(step, pseudonyms) : ((messages.get(step) ?? step) as FieldStep)))
  const finds = createFinder(pseudonyms.secrets)
  return steps.map((step) => (finds(step) ? { kind: 'withheld', of: step.kind, at: step.at } : step))
}

function learnOrders({ name, meeting }: Pick<BotSpec, 'name' | 'meeting'>, pseudonyms: Pseudonyms): void {
  pseudonyms.learnOwnName(name)
  const { url, platform: _platform, ...rest } = meeting
  for (const [field, value] of Object.entries(rest)) if (typeof value === 'string') pseudonyms.learn(field, value)
  const address = new URL(url)
  for (const part of [...address.pathname.split('/'), ...address.searchParams.values()]) pseudonyms.learnPart(decodeURIComponent(part))
}

function learn(step: RawStep, pseudonyms: Pseudonyms): void {
  if (step.kind === 'screen') learnScreen(step, pseudonyms)
  if (step.kind === 'event') learnEvent(step.event, pseudonyms)
}

function learnEvent(event: JsonObject, pseudonyms: Pseudonyms): void {
  for (const person of listAt(event, 'others')) pseudonyms.learnPerson(textAt(person, 'name'))
  for (const field of ['name', 'by']) pseudonyms.learnPerson(textAt(event, field))
  if (textAt(event, 'text')) pseudonyms.learn('Text', textAt(event, 'text'))
}

function learnScreen({ people, documents }: RawScreen, pseudonyms: Pseudonyms): void {
  for (const { name } of people) pseudonyms.learnPerson(name)
  // The tab's title has that of the meeting.
  for (const { tree } of documents)
    for (const title of titlesIn(tree)) for (const part of title.split(/ [|–-] /)) pseudonyms.learn('Title', part)
}

function titlesIn(tree: unknown): readonly string[] {
  const head = listAt(tree, 'children').find((it) => at(it, 'tag') === 'head')
  const titles = listAt(head, 'children').filter((it) => at(it, 'tag') === 'title')
  return titles.flatMap((it) => listAt(it, 'children').map(String))
}

function redactScreen({ isInside, people, documents, ...screen }: RawScreen, pseudonyms: Pseudonyms): FieldStep {
  return {
    ...screen,
    people: people.map(({ name }) => pseudonyms.text(name)),
    documents: documents.map(({ key, url, tree }) => ({
      key,
      url: pseudonyms.id(url),
      html: new PageHtml(pseudonyms, { inCall: isInside, key }).document(tree),
    })),
  }
}

function redactStep(step: RawStep, pseudonyms: Pseudonyms, payloads: Payloads): FieldStep {
  switch (step.kind) {
    case 'report':
      return { ...step, report: payloads.report(step.report) }
    case 'event':
      return { ...step, event: payloads.object(step.event) }
    case 'sent':
      return { ...step, ...(payloads.report(contentOf(step)) as { text?: string; data?: string }) }
    case 'description':
      return { ...step, sdp: redactDescription(step.sdp, pseudonyms) }
    case 'response':
      return { ...step, url: pseudonyms.id(step.url) }
    case 'console':
      return { ...step, text: pseudonyms.pageText(step.text, 'people') }
    case 'status':
    case 'verdict':
      return { ...step, message: step.message === null ? null : pseudonyms.pageText(step.message, 'people') }
    default:
      throw new Error(`There is no redaction of ${step.kind}`)
  }
}

function contentOf({ data, text }: { readonly data?: string; readonly text?: string }): JsonObject {
  return { ...(data !== undefined && { data }), ...(text !== undefined && { text }) }
}
