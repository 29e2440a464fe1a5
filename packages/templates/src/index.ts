export { createRenderer, type Fill, type NamedTemplate, type Renderer } from './create-renderer.ts'
export { threadLimits } from './render-threads.ts'
export type { TemplateForm } from './template-limits.ts'
