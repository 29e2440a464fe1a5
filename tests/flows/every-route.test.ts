// Each file defines tests; all use one stack.
import './every-route/who-may.ts'
import './every-route/lists.ts'
import './every-route/examples.ts'
