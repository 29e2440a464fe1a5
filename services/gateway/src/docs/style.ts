/** The colours are those of the console. */
export const style = `
:root {
  color-scheme: light dark;
  --canvas: light-dark(#fbfbfc, #0e1013); --sunken: light-dark(#f4f5f7, #14171b); --line: light-dark(#e4e6ea, #262b33);
  --text: light-dark(#16191d, #e8eaed); --soft: light-dark(#4d5561, #a9b1bd); --accent: light-dark(#3352c4, #9db2ff);
  --selected: light-dark(#e9edfb, #222b45);
  background: var(--canvas); color: var(--text); font: 16px/1.6 system-ui, sans-serif;
}
* { box-sizing: border-box }
body { margin: 0 }
header { display: flex; gap: 1rem; justify-content: space-between; padding: .6rem 1.25rem; border-bottom: 1px solid var(--line) }
header a:first-child { color: var(--text); font-weight: 600; text-decoration: none }
a { color: var(--accent); text-underline-offset: 2px }
.columns { display: grid; grid-template-columns: 15rem minmax(0, 1fr); align-items: start; max-width: 76rem; margin: 0 auto }
main { grid-area: 1 / 2; min-width: 0; padding: 1.5rem 1.25rem 4rem; overflow-wrap: anywhere }
main > * { max-width: 52rem }
nav { grid-area: 1 / 1; padding: 1.5rem 1.25rem; position: sticky; top: 0; max-height: 100vh; overflow-y: auto }
nav h2 { margin: 1.2rem 0 .3rem; font-size: .8rem; color: var(--soft) }
nav h2:first-child { margin-top: 0 }
nav ul { list-style: none; margin: 0; padding: 0 }
nav a { display: block; padding: .2rem .5rem; border-radius: 6px; color: var(--soft); text-decoration: none; font-size: .9rem }
nav a:hover, nav a:focus-visible { color: var(--text) }
nav a[aria-current] { background: var(--selected); color: var(--text); font-weight: 500 }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem }
code { font: .9em ui-monospace, monospace }
h1 code, h2 code { font-size: .95em }
pre { padding: .8rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--sunken); white-space: pre-wrap; font-size: .9rem }
table { border-collapse: collapse; width: 100%; font-size: .95rem }
th, td { text-align: left; vertical-align: top; padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--line) }
dt { margin-top: .7rem; font-weight: 600 }
dt span { font-weight: 400; color: var(--soft) }
dd { margin: 0 }
summary { cursor: pointer; margin-top: .8rem; color: var(--soft) }
.method { font: 600 .8rem ui-monospace, monospace; color: var(--soft) }
.narrow { display: none }
@media (max-width: 48rem) {
  .columns { grid-template-columns: minmax(0, 1fr) }
  main, nav { grid-area: auto }
  nav { position: static; max-height: none; border-top: 1px solid var(--line) }
  .narrow { display: inline }
}
`
