import type { getTemplate as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { describeWhole } from './describe-template.ts'
import { findTemplate } from './template-store.ts'

export const getTemplate: Handler<Context, typeof contract> = async ({ db }, { params, principal }) =>
  describeWhole(await findTemplate(db.run, principal.tenant_id, params.template_id))
