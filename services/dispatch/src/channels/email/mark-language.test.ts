import { expect, test } from '@jest/globals'
import { markLanguage } from './mark-language.ts'

test.each([
  ['<p>Hallo</p>', 'de', '<div lang="de"><p>Hallo</p></div>'],
  ['<p>مرحبا</p>', 'ar-EG', '<div lang="ar-EG" dir="rtl"><p>مرحبا</p></div>'],
  [
    '<!doctype html><html><body>x</body></html>',
    'he',
    '<!doctype html><html lang="he" dir="rtl"><body>x</body></html>',
  ],
  ['<HTML class="a"><body>x</body></HTML>', 'de', '<HTML lang="de" class="a"><body>x</body></HTML>'],
  ['<html lang="ar"><body>x</body></html>', 'ar', '<html dir="rtl" lang="ar"><body>x</body></html>'],
  ['<html lang="fr" dir="ltr">x</html>', 'ar', '<html lang="fr" dir="ltr">x</html>'],
  ['<p>İ</p><body>x</body>', 'tr', '<p>İ</p><body lang="tr">x</body>'],
  ['<htmlx>x</htmlx>', 'de', '<div lang="de"><htmlx>x</htmlx></div>'],
  ['<body data-lang="x">x</body>', 'de', '<body lang="de" data-lang="x">x</body>'],
  ['<!-- <html> --><p>x</p>', 'de', '<div lang="de"><!-- <html> --><p>x</p></div>'],
  [
    '<!--[if mso]><html class="o"><![endif]--><!--[if !mso]><!--><html><!--<![endif]-->x',
    'de',
    '<!--[if mso]><html class="o"><![endif]--><!--[if !mso]><!--><html lang="de"><!--<![endif]-->x',
  ],
  ['<!--><body>x</body><!-- <html', 'de', '<!--><body lang="de">x</body><!-- <html'],
])('%s in %s becomes %s', (html, locale, marked) => {
  expect(markLanguage(html, locale)).toBe(marked)
})
