export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'theme'

export function storedTheme(): Theme {
  const stored = localStorage.getItem(key)
  return themes.find((theme) => theme === stored) ?? 'system'
}

/** Sets and stores light, dark, or the preference of the system. */
export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement
  if (theme === 'system') {
    delete dataset.theme
    localStorage.removeItem(key)
  } else {
    dataset.theme = theme
    localStorage.setItem(key, theme)
  }
}
