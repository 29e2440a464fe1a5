import { expect, test } from '@jest/globals'
import { variablesOf } from './variables.ts'

test.each([
  ['Hi {{ customer.name }}', [['customer', 'name']]],
  ['{% for item in order.items %}{{ item.title }}{% endfor %}', [['order', 'items']]],
  ['{{ items[0].name | upcase }}', [['items', 0, 'name']]],
  ['{{ labels[kind] }}', [['labels'], ['kind']]],
  ['no variables', []],
  ['{% if %}', []],
  ['{% include "other" %}{{ name }}', []],
])('the variables of %s', (template, expected) => {
  expect(variablesOf(template)).toEqual(expected)
})
