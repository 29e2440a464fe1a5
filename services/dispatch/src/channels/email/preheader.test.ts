import { expect, test } from '@jest/globals'
import { withPreheader } from './preheader.ts'

test.each([
  ['', '<p>x</p>'],
  ['<body>', '<p>x</p></body>'],
  ['<html><BODY class="a">', 'x</BODY></html>'],
  ['<!--[if mso]><body class="mso"><![endif]--><!--[if !mso]><!--><body>', '<!--<![endif]-->x</body>'],
  ['', '<!-- <body> --><p>x</p>'],
])('the preheader stands after %j and before %j', (before, after) => {
  const html = withPreheader(before + after, 'Soon')
  expect([html.slice(0, before.length), html.slice(-after.length)]).toEqual([before, after])
  expect(html.slice(before.length, -after.length)).toMatch(/^<div style="display:none;[^>]*>Soon.*<\/div>$/)
})
