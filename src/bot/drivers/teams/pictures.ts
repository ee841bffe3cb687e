// Maps video sources to media streams of the page: the page requests a source for a media section of its session description.

export class Pictures {
  /** Media streams by media section. */
  readonly #streams = new Map<number, string>()
  /** Sources by the media section that shows them. */
  readonly #shown = new Map<number, number>()

  /** A remote description: a new connection shows no source yet. */
  describe(sdp: string): void {
    this.#streams.clear()
    for (const section of sdp.split(/^(?=m=)/m)) {
      const number = /^a=x-source-streamid:(\d+)/m.exec(section)?.[1]
      const stream = /^a=(?:msid:|ssrc:\d+ msid:)(\S+)/m.exec(section)?.[1]
      if (number !== undefined && stream !== undefined) this.#streams.set(Number(number), stream)
    }
  }

  /** A source of -1 ends the request. */
  show(section: number, sourceId: number): void {
    if (sourceId < 0) this.#shown.delete(section)
    else this.#shown.set(section, sourceId)
  }

  /** Null while no section shows it. */
  streamOf(sourceId: number): string | null {
    const section = [...this.#shown].find(([, shown]) => shown === sourceId)?.[0]
    return section === undefined ? null : (this.#streams.get(section) ?? null)
  }
}
