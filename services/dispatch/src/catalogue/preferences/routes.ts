import {
  changePreferencesOf as changePreferencesOfContract,
  changeUserPreferences as changeUserPreferencesContract,
  explainPreference as explainPreferenceContract,
  getRecipientPreferences as getRecipientPreferencesContract,
  getUserPreferences as getUserPreferencesContract,
  importPreferences as importPreferencesContract,
  listPreferenceChanges as listPreferenceChangesContract,
  lookUpPreferences as lookUpPreferencesContract,
  openPreferenceLink,
  readPreferencesOf as readPreferencesOfContract,
} from '@notify/contracts'
import { type RouteEntry, route } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import type { WithConsents } from '../consents/consent-directory.ts'
import type { WithRecipients } from '../recipients/recipient-directory.ts'
import type { WithTopics } from '../topics/topic-directory.ts'
import { explainPreference } from './explain-preference.ts'
import { importPreferences } from './import-preferences.ts'
import { lookUpPreferences } from './look-up-preferences.ts'
import type { WithLinks } from './message-links.ts'
import { openLink } from './open-link.ts'
import { getRecipientPreferences, listPreferenceChanges } from './read-recipient.ts'
import { changePreferencesOf, readPreferencesOf } from './service-preferences.ts'
import { changeUserPreferences, getUserPreferences } from './user-preferences.ts'

/** What people switched off: their choices, and the evidence of them. */
export const preferenceRoutes: readonly RouteEntry<Context & WithTopics & WithConsents & WithRecipients & WithLinks>[] =
  [
    route(getUserPreferencesContract, getUserPreferences),
    route(changeUserPreferencesContract, changeUserPreferences),
    route(lookUpPreferencesContract, lookUpPreferences),
    route(importPreferencesContract, importPreferences),
    route(explainPreferenceContract, explainPreference),
    route(getRecipientPreferencesContract, getRecipientPreferences),
    route(listPreferenceChangesContract, listPreferenceChanges),
    route(openPreferenceLink, openLink),
    route(readPreferencesOfContract, readPreferencesOf),
    route(changePreferencesOfContract, changePreferencesOf),
  ]
