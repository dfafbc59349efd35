import '../../core/ui/tabs.css'
import './campaigns.css'
import { Button, Card, Stack, Title } from '@mantine/core'
import { IconCopy } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import { type CampaignView, campaignTexts } from '../../../shared/marketing/campaigns.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { ApiError, BROKEN, getErrorText } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingCards, LoadingTitle } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { NotSaved } from '../../core/ui/NotSaved.tsx'
import { PageTitle } from '../../core/ui/PageTitle.tsx'
import { SaveBar } from '../../core/ui/SaveBar.tsx'
import { formatLongStoreTime } from '../../core/ui/times.ts'
import { useTabInSight } from '../../core/ui/useTabInSight.ts'
import { useCanSend } from '../../kits/manual-sends/useTextAction.ts'
import { UpgradeNotice } from '../billing/UpgradeNotice.tsx'
import { type ActionResult, useCampaignActions } from './actions.tsx'
import { Banner } from './Banner.tsx'
import { CampaignDialog } from './CampaignDialog.tsx'
import { shouldAskNowOrTomorrow } from './confirmations.ts'
import { StatusMark } from './parts.tsx'
import { useCampaign, useSaveCampaign } from './queries.ts'
import { Report } from './Report.tsx'
import { RowActions } from './RowActions.tsx'
import {
  copyCampaign,
  type Draft,
  getStepTitle,
  isSameDraft,
  moveToTomorrow,
  type StepName,
  steps,
  toCampaignInput,
  toDraft,
} from './rules.ts'
import { SendNowOrTomorrow } from './SendNowOrTomorrow.tsx'
import { Step } from './Steps.tsx'
import { useStoreClock } from './StoreTime.tsx'
import { findStandstill, type Standstill } from './standstill.ts'
import { focusProblem, readRefusedFields, useDraftProblems } from './useDraftForm.ts'

/** One campaign: its four steps and its report. */
export function CampaignPage() {
  const { campaignId: id = '' } = useParams()
  const campaign = useCampaign(id)
  if (campaign.data) return <Content key={id} campaign={campaign.data} />
  if (campaign.isPending) {
    return (
      <>
        <LoadingTitle />
        <LoadingCards count={2} />
      </>
    )
  }
  const isMissing = campaign.error instanceof ApiError && [400, 404].includes(campaign.error.status)
  return (
    <>
      <PageTitle title="Campaign" />
      {isMissing ? (
        <Notice tone="warn" title="Campaign not found">
          <Link to="/campaigns">See all campaigns</Link>
        </Notice>
      ) : (
        <Failed
          title={campaignTexts.notLoaded}
          error={new Error(getErrorText(campaign.error, campaignTexts.notFetched))}
          onRetry={() => campaign.refetch()}
        />
      )}
    </>
  )
}

function Content({ campaign }: { campaign: CampaignView }) {
  const [search] = useSearchParams()
  const tab = tabs.find((each) => each === search.get('tab')) ?? chooseFirstTab(campaign)
  const navigate = useNavigate()
  const [result, setResult] = useState<ActionResult | null>(null)
  const [isCopying, setCopying] = useState(false)
  const standstill = findStandstill(campaign)
  const mayWrite = useCanSend()
  const clock = useStoreClock()
  const { act, dialog, isBusy } = useCampaignActions(
    setResult,
    (action) => action === 'delete' && navigate('/campaigns'),
  )
  const choose = (next: Tab) => navigate({ search: `?tab=${next}` }, { preventScrollReset: true })
  return (
    <>
      <PageTitle
        title={campaign.name}
        mark={<StatusMark status={campaign.status} />}
        text={campaign.nextRunAt ? `Runs next on ${formatLongStoreTime(campaign.nextRunAt, clock)}.` : undefined}
      >
        <RowActions campaign={campaign} mayWrite={mayWrite} isBusy={isBusy} isOnItsPage onAction={act} />
        {mayWrite && (
          <Button variant="default" leftSection={<IconCopy size={16} aria-hidden />} onClick={() => setCopying(true)}>
            Duplicate
          </Button>
        )}
      </PageTitle>
      <Stack gap="md">
        {standstill && <WhyNot standstill={standstill} />}
        {result && <Banner result={result} onDismiss={() => setResult(null)} />}
        <Tabs here={tab} type={campaign.type} />
        {tab !== 'report' && hasSentMessages(campaign) && <Notice tone="info">{campaignTexts.sentKept}</Notice>}
        {tab === 'report' && <Report campaign={campaign} />}
        <CampaignEditor campaign={campaign} step={tab === 'report' ? null : tab} onStep={choose} />
      </Stack>
      {dialog}
      <CampaignDialog
        isOpen={isCopying}
        name={`copy:${campaign.id}`}
        start={() => copyCampaign(campaign, clock.zone, Date.now())}
        onClose={() => setCopying(false)}
        onCreated={({ id }) => navigate(`/campaigns/${id}`)}
      />
    </>
  )
}

function Tabs({ here, type }: { here: Tab; type: CampaignView['type'] }) {
  const row = useTabInSight(here)
  return (
    <nav ref={row} className="tabs campaign-tabs" aria-label="Campaign">
      {tabs.map((each) => (
        <Link key={each} to={`?tab=${each}`} className="tab" aria-current={each === here ? 'page' : undefined}>
          {each === 'report' ? 'Report' : getStepTitle(each, type)}
        </Link>
      ))}
    </nav>
  )
}

const WhyNot = ({ standstill: { title, text, isByPlan } }: { standstill: Standstill }) => (
  <Notice tone="warn" title={title}>
    {text}
    {isByPlan && (
      <>
        {' '}
        <Link to="/pricing">See plans</Link>
      </>
    )}
  </Notice>
)

interface Props {
  campaign: CampaignView
  /** null: another part of the page is shown; the input is kept. */
  step: StepName | null
  onStep: (step: StepName) => void
}

/** The steps of an existing campaign. Background refreshes of the counts keep the input. */
function CampaignEditor({ campaign, step, onStep }: Props) {
  const [edit, setEdit] = useState<Draft | null>(null)
  const mayWrite = useCanSend()
  const save = useSaveCampaign(campaign.id)
  useDraft<Draft>(`campaign:${campaign.id}`, edit, setEdit)
  const stored = toDraft(campaign)
  const draft = edit ?? stored
  const savedStart = campaign.schedule.startDate
  const [isAsking, setAsking] = useState(false)
  const { problems, found, gate, ask, zone } = useDraftProblems(draft, save.error, { savedStart })
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
  const store = (savedDraft: Draft, sendNow: boolean) => {
    setAsking(false)
    save.mutate(toCampaignInput(savedDraft, { sendNow }), {
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

// Chooses the first tab of a campaign's page. Pure.

type Tab = StepName | 'report'
const tabs: readonly Tab[] = [...steps, 'report']

/** A campaign with sent messages opens with its report. */
export const chooseFirstTab = ({ counts }: Pick<CampaignView, 'counts'>): Tab =>
  counts.planned > 0 ? 'report' : 'details'

/** Changes do not affect messages already sent. */
export const hasSentMessages = ({ status, counts }: Pick<CampaignView, 'status' | 'counts'>): boolean =>
  ['sent', 'completed'].includes(status) && counts.planned > 0
