/// <reference lib="dom" />
// Line icons, drawn on 24 by 24.

const PATHS = {
  microphone: 'M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3z M5.500 11a6.500 6.500 0 0 0 13 0 M12 17.500V21',
  microphoneOff:
    'M15 9.500V6a3 3 0 0 0-5.700-1.300 M9 9v2a3 3 0 0 0 4.600 2.500 M5.500 11a6.500 6.500 0 0 0 10.200 5.300 M18.500 11c0 1-.2 2-.6 2.800 M12 17.500V21 M4 4l16 16',
  camera:
    'M3.500 8.500a2 2 0 0 1 2-2h7a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2z M14.500 11l4.400-2.600a.7.7 0 0 1 1.100.6v6a.7.7 0 0 1-1.100.6L14.500 13',
  cameraOff:
    'M9.500 6.500h3a2 2 0 0 1 2 2v3 M14.500 15.500a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2 M16 12l2.900-3.600a.7.7 0 0 1 1.100.6v6 M4 4l16 16',
  screen: 'M4 5.500h16v11H4z M9 20h6 M12 13.500V8.500 M9.800 10.500L12 8.300l2.200 2.200',
  chat: 'M4 6.500a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-6.500L7 20v-3.500H6a2 2 0 0 1-2-2z M8 9h8 M8 12h5',
  people:
    'M9 11.500a3.200 3.200 0 1 0 0-6.400 3.200 3.200 0 0 0 0 6.400z M3 19.500c0-3.200 2.700-5 6-5s6 1.800 6 5 M15.500 5.500a3 3 0 0 1 0 5.700 M17.500 14.800c2 .7 3.500 2.300 3.500 4.700',
  leave:
    'M3.500 14.200c0-1 .3-1.800 1-2.400 4.300-3.600 10.700-3.600 15 0 .7.6 1 1.400 1 2.400v.8a1 1 0 0 1-1.200 1l-3-.7a1 1 0 0 1-.8-1v-1.800a11 11 0 0 0-7 0v1.800a1 1 0 0 1-.8 1l-3 .7a1 1 0 0 1-1.200-1z',
  end: 'M12 20.500a8.500 8.500 0 1 0 0-17 8.500 8.500 0 0 0 0 17z M9 9l6 6 M15 9l-6 6',
  close: 'M6 6l12 12 M18 6L6 18',
  send: 'M4 12l16-7.500-5 15.500-3.500-6.500z M11.500 13.500L20 4.500',
  sound: 'M4 9.500v5h3.500L12 18.500v-13L7.500 9.500z M15.500 9a4.500 4.500 0 0 1 0 6 M18 6.500a8 8 0 0 1 0 11',
} as const

export type IconName = keyof typeof PATHS

const SVG = 'http://www.w3.org/2000/svg'

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('class', 'icon')
  svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', PATHS[name])
  svg.append(path)
  return svg
}
