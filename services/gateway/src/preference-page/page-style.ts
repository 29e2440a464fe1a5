const defaultColor = '#1f5fbf'

/** Relative luminance (WCAG 2.2) of a color such as #0a5dc2. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Black or white, whichever contrasts more. */
const textOn = (color: string) => (luminanceOf(color) > 0.179 ? '#000' : '#fff')

/** The style of the page, in the color of the application. */
export const pageStyle = (color = defaultColor): string => `
:root { color-scheme: light; font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #f4f5f7 }
body { margin: 0; padding: 1rem }
main { max-width: 34rem; margin: 1rem auto; padding: 1.5rem; background: #fff; border-radius: 8px; border-top: 4px solid ${color}; overflow-wrap: anywhere }
.logo { max-width: 12rem; max-height: 4rem }
h1 { font-size: 1.3rem; margin: 0.5rem 0 0 }
h2 { font-size: 1.1rem; margin: 1.5rem 0 0.75rem }
.to { margin: 0; color: #555 }
.done { padding: 0.75rem 1rem; background: #e8f4ea; border-radius: 6px }
ul { list-style: none; margin: 0; padding: 0 }
li { border-top: 1px solid #e3e5e8 }
label { display: flex; gap: 0.75rem; padding: 0.75rem 0; min-height: 24px }
input[type=checkbox] { width: 1.25rem; height: 1.25rem; flex: none; accent-color: ${color} }
label.often { flex-wrap: wrap; align-items: center; padding-top: 0; padding-inline-start: 2rem }
select { font: inherit; min-height: 44px; max-width: 100%; border: 1px solid #6b7280; border-radius: 6px; background: #fff; color: inherit }
small { display: block; font-size: 0.9rem; color: #555 }
button { font: inherit; padding: 0.6rem 1.2rem; min-height: 44px; border-radius: 6px; border: 1px solid #6b7280; background: #fff; color: #1a1a1a; cursor: pointer }
button.main { background: ${color}; border-color: ${color}; color: ${textOn(color)} }
button:focus-visible, input:focus-visible, select:focus-visible { outline: 3px solid #1a1a1a; outline-offset: 2px }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem }
`
