import { Anchor } from '@mantine/core'
import type { CampaignType } from '../../../shared/marketing/campaigns.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { getStepTitle, type Problems, type StepName, stepOfField, steps } from './rules.ts'

interface Props {
  found: Problems
  step: StepName
  type: CampaignType
  onStep: (step: StepName) => void
}

/** Beside the buttons: what earlier steps still miss, with links to them. */
export function MissingParts({ found, step, type, onStep }: Props) {
  const missing = findMissingBefore(found, step)
  if (missing.length === 0) return null
  return (
    <Notice tone="warn" title="Still missing">
      <ul className="campaign-missing">
        {missing.map(({ step: each, text }) => (
          <li key={`${each} ${text}`}>
            <Anchor component="button" type="button" inherit underline="always" onClick={() => onStep(each)}>
              {getStepTitle(each, type)}
            </Anchor>
            : {text}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

// Finds what a campaign in the dialog still misses. Pure.

interface MissingPart {
  step: StepName
  text: string
}

/** Errors of earlier steps; this step's own fields show their errors themselves. */
export function findMissingBefore(found: Problems, step: StepName): MissingPart[] {
  const before = steps.slice(0, steps.indexOf(step))
  const all = Object.entries(found) as [keyof Problems, string][]
  return before.flatMap((each) => {
    const texts = all.filter(([field]) => stepOfField[field] === each).map(([, text]) => text)
    return [...new Set(texts)].map((text) => ({ step: each, text }))
  })
}
