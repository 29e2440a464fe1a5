import { expect, test } from '@jest/globals'
import { isTimeZone } from './time-zone.ts'

const names = (text: string) => text.split(/\s+/)

test('every zone of the IANA database is one, by each of its names', () => {
  const withoutArea = names(
    `CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel
     Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey UCT UTC
     Universal W-SU WET Zulu`,
  )
  const others = names('Asia/Calcutta Asia/Kolkata US/Pacific Etc/GMT+12 America/Argentina/Ushuaia europe/berlin')
  const all = [...Intl.supportedValuesOf('timeZone'), ...withoutArea, ...others]
  expect(all.filter((name) => !isTimeZone(name))).toEqual([])
})

test('neither an offset nor a name that only ICU knows is a zone: its BST is in Asia, its AST in Alaska', () => {
  const ofIcu = names(
    'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST',
  )
  const wrong = names('bst SystemV/EST5EDT +01:00 -05:30 +0100 +23:59 Mars/Base UTC+1')
  expect([...ofIcu, ...wrong, '', 'x'.repeat(65)].filter(isTimeZone)).toEqual([])
})
