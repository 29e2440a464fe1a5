export { directionOf, isSameLanguage } from './language.ts'
export { lookUp, lookupChain } from './lookup.ts'
