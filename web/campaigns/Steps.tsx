import { AudienceStep } from './AudienceStep.tsx'
import { DetailsStep } from './DetailsStep.tsx'
import type { StepName, StepProps } from './rules.ts'
import { ScheduleStep } from './ScheduleStep.tsx'
import { Summary } from './Summary.tsx'
import { TemplateStep } from './TemplateStep.tsx'

/** One of the four steps, in the dialog and on the campaign's page. */
export function Step({ step, campaignId, ...props }: StepProps & { step: StepName; campaignId?: string | undefined }) {
  if (step === 'details') return <DetailsStep {...props} />
  if (step === 'audience') return <AudienceStep {...props} campaignId={campaignId} />
  if (step === 'template') return <TemplateStep {...props} />
  return (
    <>
      <ScheduleStep {...props} />
      <Summary draft={props.draft} campaignId={campaignId} />
    </>
  )
}
