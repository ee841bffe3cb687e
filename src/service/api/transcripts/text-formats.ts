// Formats a transcript as SRT, WebVTT or plain text.
import type { ContentType } from '../../../storage/store.ts'
import type { ApiTurn } from '../../media/transcript/transcript-file.ts'

type TextFormat = { readonly contentType: ContentType; write(turns: readonly ApiTurn[]): string }

export const TEXT_FORMATS: Readonly<Record<'srt' | 'vtt' | 'txt', TextFormat>> = {
  srt: { contentType: 'application/x-subrip', write: (turns) => cuesOf(turns).map(subRip).join('\n') },
  vtt: { contentType: 'text/vtt', write: (turns) => ['WEBVTT\n', ...cuesOf(turns).map(webVtt)].join('\n') },
  txt: { contentType: 'text/plain; charset=utf-8', write: (turns) => turns.map(line).join('') },
}

type Cue = { readonly speaker: string; readonly text: string; readonly start: number; readonly end: number }

/** Longer cues are hard to read. */
const LONGEST_CUE_SECONDS = 6
const LONGEST_CUE_CHARACTERS = 84

function cuesOf(turns: readonly ApiTurn[]): readonly Cue[] {
  return turns.flatMap(cutUp).toSorted((a, b) => a.start - b.start)
}

function cutUp({ speaker, text, start_time, end_time, words }: ApiTurn): Cue[] {
  if (words.length === 0) return [{ speaker, text, start: start_time, end: end_time }]
  const cues: Cue[] = []
  for (const { punctuated_word, start, end } of words) {
    const last = cues.at(-1)
    const fits = last && end - last.start <= LONGEST_CUE_SECONDS && last.text.length + punctuated_word.length < LONGEST_CUE_CHARACTERS
    if (fits) cues[cues.length - 1] = { ...last, text: `${last.text} ${punctuated_word}`, end: Math.max(last.end, end) }
    else cues.push({ speaker, text: punctuated_word, start, end })
  }
  return cues
}

function subRip({ speaker, text, start, end }: Cue, index: number): string {
  const times = `${clock(start, ',')} --> ${clock(end, ',')}`
  return `${index + 1}\n${times}\n${oneLine(`${speaker}: ${text}`).replaceAll('-->', '->')}\n`
}

function webVtt({ speaker, text, start, end }: Cue): string {
  return `${clock(start, '.')} --> ${clock(end, '.')}\n<v ${escaped(oneLine(speaker))}>${escaped(oneLine(text))}</v>\n`
}

function line({ speaker, text, start_time }: ApiTurn): string {
  return `[${clock(start_time, '.').slice(0, 8)}] ${oneLine(`${speaker}: ${text}`)}\n`
}

function clock(seconds: number, mark: ',' | '.'): string {
  const ms = Math.round(seconds * 1000)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${mark}${String(ms % 1000).padStart(3, '0')}`
}

/** A blank line would end the cue. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
