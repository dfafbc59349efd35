import { UpgradeNotice } from '../billing/UpgradeNotice.tsx'
import { ConfirmToSend } from '../stores/ConfirmToSend.tsx'
import './campaigns.css'
import { Button, Group, Stack, Title } from '@mantine/core'
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { Location } from 'react-router'
import { type CampaignView, campaignTexts } from '../../../shared/marketing/campaigns.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { useStore } from '../../core/access/queries.ts'
import { ApiError, getErrorText } from '../../core/api/api.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { useLeaveGuard } from '../../core/ui/useLeaveGuard.tsx'
import { shouldAskNowOrTomorrow } from './confirmations.ts'
import { isComplete } from './content.ts'
import { MissingParts } from './MissingParts.tsx'
import { useCreateCampaign, useTemplates } from './queries.ts'
import {
  type Draft,
  getStepTitle,
  hasInvalidNumbers,
  moveToTomorrow,
  type StepName,
  steps,
  toCampaignInput,
} from './rules.ts'
import { SendNowOrTomorrow } from './SendNowOrTomorrow.tsx'
import { Step } from './Steps.tsx'
import { scheduleNow } from './send-time.ts'
import { focusProblem, readRefusedFields, useDraftProblems } from './useDraftForm.ts'

interface Props {
  /** Draft key of unsaved input. */
  place: string
  start: () => Draft
  /** The user already confirmed leaving; do not ask again. */
  isDiscarded: RefObject<boolean>
  onDirty: (isDirty: boolean) => void
  /** The confirmation for leaving is open. */
  onAsking: (isAsking: boolean) => void
  onCancel: () => void
  onCreated: (campaign: CampaignView, isSent: boolean) => void
}

/** The four steps of B 2. */
export function CampaignForm({ place, start, isDiscarded, onDirty, onAsking, onCancel, onCreated }: Props) {
  const { draft, isDirty, change } = useTyped(place, start, onDirty)
  const [step, choose] = useState<StepName>('details')
  const [isAsking, setAsking] = useState(false)
  const create = useCreateCampaign()
  const { problems, found, gate, ask, zone } = useDraftProblems(draft, create.error, { savedStart: null })
  const heading = useHeading(step)
  const isCreated = useRef(false)
  const question = useQuestion(isDirty, () => isCreated.current || isDiscarded.current, onAsking)
  const store = useStore()
  const where = store ? { platform: store.platform, storeId: store.store_url } : {}
  const send = (sentDraft: Draft, sendNow: boolean) => {
    setAsking(false)
    create.mutate(toCampaignInput(sentDraft, { ...where, sendNow }), {
      onSuccess: ({ campaign }) => {
        isCreated.current = true
        onCreated(campaign, sendNow)
      },
      onError: (error) => focusProblem(readRefusedFields(error), '[role=dialog]', choose),
    })
  }
  const submit = () => {
    ask(true)
    if (focusProblem(found, '[role=dialog]', choose)) return
    if (draft.isNow || shouldAskNowOrTomorrow(draft.schedule, { zone, now: Date.now(), stored: null })) setAsking(true)
    else send(draft, false)
  }
  const index = steps.indexOf(step)
  const isLast = index === steps.length - 1
  return (
    <Stack gap="md">
      <ol className="campaign-steps">
        {steps.map((each, place) => (
          <li key={each} aria-current={each === step ? 'step' : undefined} data-done={place < index || undefined}>
            <span aria-hidden>{place + 1}</span> {getStepTitle(each, draft.type)}
          </li>
        ))}
      </ol>
      <Title order={3} tabIndex={-1} ref={heading}>
        {getStepTitle(step, draft.type)}
      </Title>
      {(draft.type === 'email' || draft.type === 'push') && <ConfirmToSend what="create a campaign" />}
      <Step step={step} draft={draft} problems={problems} isReadOnly={false} onChange={change} />
      <Stack gap="sm" className="campaign-foot">
        {gate && (isLast || gate.step === step) && <UpgradeNotice text={gate.text} />}
        <MissingParts found={found} step={step} type={draft.type} onStep={choose} />
        {create.error && <NotCreated error={create.error} />}
        <Group justify="space-between" gap="sm">
          <Button variant="default" disabled={index === 0} onClick={() => choose(steps[index - 1]!)}>
            Previous
          </Button>
          <Group gap="sm">
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
            {isLast ? (
              <Button loading={create.isPending} disabled={!isComplete(draft) || gate !== null} onClick={submit}>
                Create Campaign
              </Button>
            ) : (
              <Button
                disabled={draft.name.trim() === '' || (step === 'audience' && hasInvalidNumbers(draft))}
                onClick={() => choose(steps[index + 1]!)}
              >
                Next
              </Button>
            )}
          </Group>
        </Group>
      </Stack>
      {isAsking && (
        <SendNowOrTomorrow
          draft={draft}
          // A recurring campaign continues after this run, which is already due.
          onNow={() =>
            send(draft.isNow ? scheduleNow(draft, zone, Date.now()) : draft, draft.schedule.frequency === 'once')
          }
          onTomorrow={() => {
            const later = { ...draft, schedule: moveToTomorrow(draft.schedule, zone, Date.now()) }
            change({ schedule: later.schedule, isNow: false })
            send(later, false)
          }}
          onClose={() => setAsking(false)}
        />
      )}
      {question}
    </Stack>
  )
}

/** B 8; features of a larger plan link to the plans. */
export function NotCreated({ error, text = campaignTexts.notCreated }: { error: Error; text?: string }) {
  const message = getErrorText(error, text)
  if (error instanceof ApiError && error.code === 'plan_required') return <UpgradeNotice text={message} />
  return (
    <Notice tone="bad" isLive>
      {message}
    </Notice>
  )
}

/** Restored after a session expires. */
function useTyped(place: string, start: () => Draft, onDirty: (isDirty: boolean) => void) {
  const [first] = useState(start)
  // The template's texts may arrive while the user types.
  const [typed, setTyped] = useState<Partial<Draft> | null>(null)
  const draft = { ...useDefaultContent(first), ...typed }
  const change = (next: Partial<Draft>) => {
    onDirty(true)
    setTyped((before) => ({ ...before, ...next }))
  }
  useDraft<Partial<Draft>>(place, typed, (saved) => {
    onDirty(true)
    setTyped(saved)
  })
  return { draft, isDirty: typed !== null, change }
}

/** Confirms leaving by link or Back. No confirmation after creating or discarding. */
function useQuestion(isDirty: boolean, isOver: () => boolean, onAsking: (isAsking: boolean) => void) {
  const { question, isAsking } = useLeaveGuard(isDirty, (from, to) => !isOver() && isOtherForm(from, to))
  useEffect(() => onAsking(isAsking), [isAsking, onAsking])
  return question
}

/** Leaving the wizard means another path or another position in the address. */
const isOtherForm = (from: Location, to: Location) => from.pathname !== to.pathname || findForm(from) !== findForm(to)

const findForm = ({ search }: Location) => new URLSearchParams(search).get('form')

/** Focus the heading of the new step for screen readers. */
function useHeading(step: StepName) {
  const heading = useRef<HTMLHeadingElement>(null)
  const [first] = useState(step)
  const hasTurned = useRef(false)
  useEffect(() => {
    if (step !== first) hasTurned.current = true
    if (hasTurned.current) heading.current?.focus()
  }, [step, first])
  return heading
}

/** Initial content of a new campaign: that of its template, plus an SMS. */
function useDefaultContent(draft: Draft): Draft {
  const { data } = useTemplates()
  const [hasBegun] = useState(draft.subject !== '' || draft.body !== '' || draft.sms !== '')
  if (!data || hasBegun) return draft
  const ready = data.campaign.find(({ id }) => id === draft.template)
  return { ...draft, subject: ready?.subject ?? '', body: ready?.body ?? '', sms: data.sms }
}
