import type { Topic } from '../../api/topics.ts'
import type { Tone } from '../../ui/badge.tsx'

export const kinds: Record<Topic['kind'], { name: string; tone: Tone; means: string }> = {
  on: { name: 'On', tone: 'good', means: 'Sent until a person switches it off' },
  off: { name: 'Off', tone: 'quiet', means: 'Sent once a person has switched it on' },
  required: { name: 'Required', tone: 'busy', means: 'Always sent: nobody can switch it off' },
}
