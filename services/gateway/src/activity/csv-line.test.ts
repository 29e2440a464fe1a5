import { expect, test } from '@jest/globals'
import { csvLine } from './csv-line.ts'

test.each([
  [['a', 'b c', 1, true, null, undefined], 'a,b c,1,true,,\r\n'],
  [['say "no", please', 'two\nlines', 'ünï'], '"say ""no"", please","two\nlines",ünï\r\n'],
  [['=1+1', '+12****0100', '-1', '@here', '\tx', '\rx'], `'=1+1,'+12****0100,'-1,'@here,'\tx,"'\rx"\r\n`],
  [['=HYPERLINK("https://a.example","b")'], `"'=HYPERLINK(""https://a.example"",""b"")"\r\n`],
  [[-1], '-1\r\n'],
])('%j', (cells, line) => {
  expect(csvLine(cells)).toBe(line)
})
