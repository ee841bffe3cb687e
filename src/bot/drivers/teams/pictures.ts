// Which media stream of the page shows which video source: the page asks for sources by the number of a section of its description.

export class Pictures {
  /** Media streams by the number of their section. */
  readonly #streams = new Map<number, string>()
  /** Sources by the number of the section in which they are shown. */
  readonly #shown = new Map<number, number>()

  /** A description of the other side: a new connection shows nothing yet. */
  describe(sdp: string): void {
    this.#streams.clear()
    for (const section of sdp.split(/^(?=m=)/m)) {
      const number = /^a=x-source-streamid:(\d+)/m.exec(section)?.[1]
      const stream = /^a=(?:msid:|ssrc:\d+ msid:)(\S+)/m.exec(section)?.[1]
      if (number !== undefined && stream !== undefined) this.#streams.set(Number(number), stream)
    }
  }

  /** A source of -1 ends it. */
  show(section: number, sourceId: number): void {
    if (sourceId < 0) this.#shown.delete(section)
    else this.#shown.set(section, sourceId)
  }

  /** Null while it is shown nowhere. */
  streamOf(sourceId: number): string | null {
    const section = [...this.#shown].find(([, shown]) => shown === sourceId)?.[0]
    return section === undefined ? null : (this.#streams.get(section) ?? null)
  }
}
