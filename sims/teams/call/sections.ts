// The media sections of a Teams call, in the order of the page's offer, and the attributes by which Teams names them in its answer.

export type SectionRole = 'main-audio' | 'redundant-audio' | 'camera' | 'main-video' | 'applicationsharing-video'

export type Section = {
  readonly role: SectionRole
  /** `x-source-streamid`: the name of this section in a subscription. */
  readonly streamId: number
  /** Id of the page's MediaStream: `mainAudio-1`, and for video a number that differs from the stream id's. */
  readonly msid: string
}

const FIRST_STREAM_ID = 201
const FIRST_VIDEO_MSID = 39_016
const MSID_NAMES: Readonly<Record<SectionRole, string>> = {
  'main-audio': 'mainAudio',
  'redundant-audio': 'mainAudio',
  camera: 'mainVideo',
  'main-video': 'mainVideo',
  'applicationsharing-video': 'applicationsharingVideo',
}
/** The first video section carries the page's own camera. */
const LABELS: Readonly<Record<SectionRole, string>> = {
  'main-audio': 'main-audio',
  'redundant-audio': 'main-audio',
  camera: 'main-video',
  'main-video': 'main-video',
  'applicationsharing-video': 'applicationsharing-video',
}

export function sectionsOf({ videoSlots, redundantAudio }: { videoSlots: number; redundantAudio: boolean }): readonly Section[] {
  const roles: SectionRole[] = ['main-audio', ...(redundantAudio ? (['redundant-audio'] as const) : []), 'camera']
  roles.push(...Array.from({ length: videoSlots }, () => 'main-video' as const), 'applicationsharing-video')
  return roles.map((role, index) => ({
    role,
    streamId: FIRST_STREAM_ID + index,
    msid: `${MSID_NAMES[role]}-${role.endsWith('-audio') ? index + 1 : FIRST_VIDEO_MSID + 3 * index}`,
  }))
}

/** Adds attributes that WebRTC does not define and the page reads. */
export function annotated(sdp: string, sections: readonly Section[]): string {
  const [head = '', ...media] = sdp.split(/(?=^m=)/m)
  const named = media.map((text, index) => {
    const section = sections[index]
    return section && !text.startsWith('m=application') ? annotatedSection(text, section) : text
  })
  return [head, ...named].join('')
}

function annotatedSection(text: string, { role, streamId }: Section): string {
  const msid = /^a=msid:(.+?)\r?$/m.exec(text)?.[1]
  const ssrc = /^a=ssrc:(\d+)/m.exec(text)?.[1]
  const lines = [`a=label:${LABELS[role]}`, `a=x-source-streamid:${streamId}`]
  if (msid && ssrc) lines.push(`a=ssrc:${ssrc} msid:${msid}`)
  return `${text.trimEnd()}\r\n${lines.join('\r\n')}\r\n`
}
