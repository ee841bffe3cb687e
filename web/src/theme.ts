// Light or dark theme, by the system or by choice.
const CHOICES = ['system', 'light', 'dark'] as const
export type Theme = (typeof CHOICES)[number]

export function chosenTheme(): Theme {
  const kept = localStorage.getItem('theme')
  return CHOICES.find((choice) => choice === kept) ?? 'system'
}

export function showTheme(theme: Theme): void {
  document.documentElement.classList.toggle('light', theme === 'light')
  document.documentElement.classList.toggle('dark', theme === 'dark')
}

export function nextTheme(theme: Theme): Theme {
  const next = CHOICES[(CHOICES.indexOf(theme) + 1) % CHOICES.length] ?? 'system'
  localStorage.setItem('theme', next)
  showTheme(next)
  return next
}
