import { Card, Stack, Title } from '@mantine/core'
import { useState } from 'react'
import { type CampaignView, campaignTexts } from '../../shared/campaigns.ts'
import { useDraft } from '../access/drafts.ts'
import { getErrorText } from '../accounts/queries.ts'
import { BROKEN } from '../api.ts'
import { UpgradeNotice } from '../billing/UpgradeNotice.tsx'
import { useCanSend } from '../carts/useTextAction.ts'
import { announce } from '../ui/announce.ts'
import { NotSaved } from '../ui/NotSaved.tsx'
import { SaveBar } from '../ui/SaveBar.tsx'
import { shouldAskNowOrTomorrow } from './confirmations.ts'
import { useSaveCampaign } from './queries.ts'
import {
  type Draft,
  getStepTitle,
  isSameDraft,
  moveToTomorrow,
  type StepName,
  toCampaignInput,
  toDraft,
} from './rules.ts'
import { SendNowOrTomorrow } from './SendNowOrTomorrow.tsx'
import { Step } from './Steps.tsx'
import { focusProblem, readRefusedFields, useDraftProblems } from './useDraftForm.ts'

interface Props {
  campaign: CampaignView
  /** null: another part of the page is shown; the input is kept. */
  step: StepName | null
  onStep: (step: StepName) => void
}

/** The steps of an existing campaign. Background refreshes of the counts keep the input. */
export function CampaignEditor({ campaign, step, onStep }: Props) {
  const [edit, setEdit] = useState<Draft | null>(null)
  const mayWrite = useCanSend()
  const save = useSaveCampaign(campaign.id)
  useDraft<Draft>(`campaign:${campaign.id}`, edit, setEdit)
  const stored = toDraft(campaign)
  const draft = edit ?? stored
  const keptStart = campaign.schedule.startDate
  const [isAsking, setAsking] = useState(false)
  const { problems, found, gate, ask, zone } = useDraftProblems(draft, save.error, { keptStart })
  const change = (next: Partial<Draft>) => {
    const changed = { ...draft, ...next }
    setEdit(isSameDraft(changed, stored) ? null : changed)
  }
  const discard = () => {
    setEdit(null)
    ask(false)
    save.reset()
  }
  const submit = () => {
    ask(true)
    if (focusProblem(found, 'main', onStep)) return
    if (shouldAskNowOrTomorrow(draft.schedule, { zone, now: Date.now(), stored: campaign })) setAsking(true)
    else store(draft, false)
  }
  const store = (wanted: Draft, sendNow: boolean) => {
    setAsking(false)
    save.mutate(toCampaignInput(wanted, { sendNow }), {
      onSuccess: () => {
        discard()
        announce(campaignTexts.saved)
      },
      onError: (error) => focusProblem(readRefusedFields(error), 'main', onStep),
    })
  }
  return (
    <>
      {step && (
        <Card>
          <Title order={2} mb="md">
            {getStepTitle(step, draft.type)}
          </Title>
          <Stack gap="md">
            {gate?.step === step && edit && <UpgradeNotice text={gate.text} />}
            <Step
              step={step}
              draft={draft}
              problems={problems}
              isReadOnly={!mayWrite}
              hasBegun={campaign.counts.planned > 0}
              campaignId={campaign.id}
              onChange={change}
            />
          </Stack>
        </Card>
      )}
      <SaveBar
        isDirty={edit !== null}
        isSaving={save.isPending}
        isDisabled={!mayWrite}
        problem={save.error && <NotSaved>{getErrorText(save.error, BROKEN)}</NotSaved>}
        onSave={submit}
        onDiscard={discard}
      />
      {isAsking && (
        <SendNowOrTomorrow
          draft={draft}
          campaignId={campaign.id}
          onNow={() => store(draft, draft.schedule.frequency === 'once')}
          onTomorrow={() => {
            const later = { ...draft, schedule: moveToTomorrow(draft.schedule, zone, Date.now()) }
            change({ schedule: later.schedule })
            store(later, false)
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
