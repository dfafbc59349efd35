import { Card, Stack, Tabs, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { Link, useParams, useSearchParams } from 'react-router'
import type { z } from 'zod'
import type { readOperatorHealth } from '../../../shared/workspace/operator.ts'
import { DataList } from '../../core/ui/DataList.tsx'
import type { DataColumn } from '../../core/ui/DataTable.tsx'
import { Facts } from '../../core/ui/Facts.tsx'
import { formatCount, formatCounted } from '../../core/ui/format.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingCards } from '../../core/ui/Loading.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import { Actions } from './Actions.tsx'

import { useOperatorHealth } from './queries.ts'
import './operator.css'
import { Button, Group, NumberInput, SegmentedControl, Textarea } from '@mantine/core'
import { IconBan, IconFilterOff, IconPlayerPause, IconPlugOff, IconPlus, IconUsers } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { explain } from '../../../shared/delivery/reasons.ts'
import type { OperatorAccount, OperatorProblem, readOperatorAccount } from '../../../shared/workspace/operator.ts'
import { MAX_CREDIT_CENTS, MAX_REASON_LENGTH } from '../../../shared/workspace/operator.ts'
import { useMe } from '../../core/access/queries.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { Empty } from '../../core/ui/Empty.tsx'
import { LoadingRows } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { Pager } from '../../core/ui/Pager.tsx'
import { SearchBox } from '../../core/ui/SearchBox.tsx'
import { DateTime } from '../../core/ui/Time.tsx'
import { useListQuery } from '../../core/ui/useListQuery.ts'
import { BarePage } from '../../kits/page/BarePage.tsx'
import { formatBalance } from '../billing/credit-copy.ts'
import { Meters } from '../billing/Meters.tsx'
import { getStatusBadge } from '../billing/statusLook.ts'
import { AccountDialog } from './AccountDialog.tsx'
import { ActionList } from './Actions.tsx'
import { NoteDialog } from './NoteDialog.tsx'
import { PlanDialog } from './PlanDialog.tsx'
import {
  useAdjustCredits,
  useOperatorAccount,
  useOperatorAccounts,
  useResolve,
  useResume,
  useSuspend,
  useView,
} from './queries.ts'
import { type AccountsQuery, accountsAddress, formatPlan, formatSource, operatorProblems } from './rules.ts'

const shows = [
  { value: '', label: 'All' },
  { value: 'suspended', label: 'Suspended' },
]

/** All accounts, newest first. */
function Accounts() {
  const { query, change } = useListQuery(accountsAddress)
  const accounts = useOperatorAccounts(query)
  const [isCreating, setCreating] = useState(false)
  return (
    <Card padding={0} style={{ overflow: 'visible' }}>
      <Group p="md" gap="sm">
        <div style={{ flex: '1 1 240px' }}>
          <SearchBox
            label="Search by account, email address, store or id"
            value={query.search ?? ''}
            isBusy={accounts.isPlaceholderData}
            onSearch={(search) => change({ search })}
          />
        </div>
        <SegmentedControl
          aria-label="Which accounts"
          data={shows}
          value={query.show ?? ''}
          onChange={(show) => change({ show: show as AccountsQuery['show'] & string })}
        />
        <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
          Create account
        </Button>
      </Group>
      {isCreating && <AccountDialog onClose={() => setCreating(false)} />}
      <Loaded query={accounts} loading={<LoadingRows />} failed="The accounts could not be loaded" className="padded">
        {({ accounts: rows, pagination }) => (
          <div aria-busy={accounts.isPlaceholderData}>
            {rows.length === 0 ? (
              <NoAccounts isFirst={pagination.total === 0} onChange={change} />
            ) : (
              <AccountsTable rows={rows} />
            )}
            <Pager
              {...pagination}
              limit={query.limit}
              requestedPage={query.page}
              onPage={(page) => change({ page })}
              onLimit={(limit) => change({ limit })}
            />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function NoAccounts({ isFirst, onChange }: { isFirst: boolean; onChange: (next: Partial<AccountsQuery>) => void }) {
  if (!isFirst) {
    return (
      <Empty icon={IconUsers} text="There are no accounts on this page.">
        <Button variant="default" size="sm" onClick={() => onChange({ page: 1 })}>
          Go to the first page
        </Button>
      </Empty>
    )
  }
  return (
    <Empty icon={IconFilterOff} text="No account matches.">
      <Button variant="default" size="sm" onClick={() => onChange({ search: '', show: '' })}>
        Clear filters
      </Button>
    </Empty>
  )
}

function AccountsTable({ rows }: { rows: OperatorAccount[] }) {
  const navigate = useNavigate()
  return (
    <DataList
      rows={rows}
      getKey={({ id }) => id}
      label="Accounts"
      minWidth={860}
      columns={columns}
      onOpen={({ id }) => navigate(`/operator/${id}`)}
    />
  )
}

const columns: readonly DataColumn<OperatorAccount>[] = [
  {
    id: 'name',
    label: 'Account',
    sort: null,
    cell: ({ id, name, isDemo }) => (
      <>
        <Link className="plain-button" to={`/operator/${id}`}>
          {name}
        </Link>
        {isDemo && (
          <Text span fz="xs" c="dimmed">
            {' '}
            demo
          </Text>
        )}
      </>
    ),
  },
  {
    id: 'owner',
    label: 'Owner',
    sort: null,
    shrinks: ({ ownerEmail }) => ownerEmail,
    cell: ({ ownerEmail }) => ownerEmail ?? '-',
  },
  { id: 'plan', label: 'Plan', sort: null, cell: formatPlan },
  { id: 'status', label: 'Status', sort: null, cell: (account) => <AccountState account={account} /> },
  { id: 'stores', label: 'Stores', sort: null, isNumber: true, cell: ({ stores }) => formatCount(stores) },
  {
    id: 'messages',
    label: 'Messages this month',
    head: 'Messages',
    sort: null,
    isNumber: true,
    cell: ({ messages }) => formatCount(messages),
  },
  { id: 'created', label: 'Since', sort: null, cell: ({ createdAt }) => <DateTime at={createdAt} /> },
]

/** "Suspended" takes precedence over the payment status. */
function AccountState({ account }: { account: Pick<OperatorAccount, 'suspendedAt' | 'status'> }) {
  if (account.suspendedAt) return <StatusBadge tone="bad" icon={IconBan} label="Suspended" />
  return account.status ? <StatusBadge {...getStatusBadge(account.status)} /> : '-'
}

type HealthView = z.output<typeof readOperatorHealth.reply>

/** Health of the whole installation. */
function Health() {
  const health = useOperatorHealth()
  return (
    <Loaded query={health} loading={<LoadingCards count={3} />} failed="The health could not be loaded">
      {(view) => (
        <Stack gap="lg">
          <Checks view={view} />
          <Problems problems={view.problems} withAccount />
          <Alarms alarms={view.alarms} />
          <Queues queues={view.queues} />
        </Stack>
      )}
    </Loaded>
  )
}

function Checks({ view: { checks, late } }: { view: HealthView }) {
  return (
    <Card>
      <Title order={2} mb="sm">
        Checks
      </Title>
      <Facts
        entries={[
          ...checks.map(({ name, state }): [string, React.ReactNode] => [
            name.charAt(0).toUpperCase() + name.slice(1),
            <Check key={name} state={state} />,
          ]),
          [
            'Late messages',
            late.since ? (
              <>
                <State key="late" isGood={false} label={formatCounted(late.stores, 'store')} /> since{' '}
                <TimeAgo at={late.since} />
              </>
            ) : (
              <State key="late" isGood label="None" />
            ),
          ],
        ]}
      />
    </Card>
  )
}

/** The problem may be a sentence, which a badge would truncate. */
const Check = ({ state }: { state: string }) => (
  <>
    <State isGood={state === 'ok'} label={state === 'ok' ? 'OK' : 'Problem'} />
    {state !== 'ok' && ` ${state}`}
  </>
)

const State = ({ isGood, label }: { isGood: boolean; label: string }) => (
  <StatusBadge tone={isGood ? 'good' : 'bad'} icon={isGood ? IconCircleCheck : IconAlertTriangle} label={label} />
)

type Alarm = HealthView['alarms'][number]

const Alarms = ({ alarms }: { alarms: Alarm[] }) => (
  <Card padding={0}>
    <Title order={2} p="md" pb="xs">
      Alarms
    </Title>
    {alarms.length === 0 ? (
      <Text px="md" pb="md" c="dimmed">
        No alarms.
      </Text>
    ) : (
      <DataList
        rows={alarms}
        getKey={({ stage, storeName, since }) => `${storeName} ${stage} ${since}`}
        label="Alarms"
        columns={alarmColumns}
      />
    )}
  </Card>
)

const alarmColumns: readonly DataColumn<Alarm>[] = [
  { id: 'stage', label: 'Stage', sort: null, cell: ({ stage, cause }) => `${stage}: ${cause}` },
  { id: 'store', label: 'Store', sort: null, cell: ({ storeName }) => storeName },
  {
    id: 'account',
    label: 'Account',
    sort: null,
    cell: ({ accountId, accountName }) => <Link to={`/operator/${accountId}`}>{accountName}</Link>,
  },
  { id: 'since', label: 'Since', sort: null, cell: ({ since }) => <TimeAgo at={since} /> },
]

type Queue = HealthView['queues'][number]

const isEmpty = ({ ready, active, later, failed }: Queue) => ready + active + later + failed === 0

/** There are about thirty; empty ones are only counted. */
function Queues({ queues }: { queues: Queue[] }) {
  const busy = queues.filter((queue) => !isEmpty(queue))
  const empty = formatCounted(queues.length - busy.length, 'queue')
  return (
    <Card padding={0}>
      <Title order={2} p="md" pb="xs">
        Queues
      </Title>
      <Text px="md" pb={busy.length > 0 ? 'xs' : 'md'} fz="sm" c="dimmed">
        Jobs waiting, running, or failed in the last 24 hours. {empty}{' '}
        {queues.length - busy.length === 1 ? 'is' : 'are'} empty.
      </Text>
      {busy.length > 0 && <DataList rows={busy} getKey={({ name }) => name} label="Queues" columns={queueColumns} />}
    </Card>
  )
}

const queueColumns: readonly DataColumn<Queue>[] = [
  { id: 'name', label: 'Queue', sort: null, cell: ({ name }) => name },
  { id: 'ready', label: 'Waiting', sort: null, isNumber: true, cell: ({ ready }) => formatCount(ready) },
  { id: 'active', label: 'Running', sort: null, isNumber: true, cell: ({ active }) => formatCount(active) },
  { id: 'later', label: 'Scheduled', sort: null, isNumber: true, cell: ({ later }) => formatCount(later) },
  { id: 'failed', label: 'Failed', sort: null, isNumber: true, cell: ({ failed }) => formatCount(failed) },
]

const tabs = [
  { value: 'accounts', label: 'Accounts', Panel: Accounts },
  { value: 'health', label: 'Health', Panel: Health },
  { value: 'actions', label: 'Actions', Panel: Actions },
]

// Both in one file: otherwise the bundler merges their shared code into a chunk that every screen loads.

/** For operators of the server (decision 90). All others get the 404 page (`Guard`). */
export function OperatorPage() {
  const [search, setSearch] = useSearchParams()
  const chosen = tabs.find(({ value }) => value === search.get('tab')) ?? tabs[0]!
  return (
    <OperatorFrame title="Operator">
      <Title order={1} mb="md">
        Operator
      </Title>
      <Tabs
        value={chosen.value}
        onChange={(value) => setSearch(value === 'accounts' || !value ? {} : { tab: value })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          {tabs.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ value, Panel }) => (
          <Tabs.Panel key={value} value={value}>
            <Panel />
          </Tabs.Panel>
        ))}
      </Tabs>
    </OperatorFrame>
  )
}

export function OperatorAccountPage() {
  const { accountId = '' } = useParams()
  return (
    <OperatorFrame title="Operator">
      <Text mb="md">
        <Link to="/operator">All accounts</Link>
      </Text>
      <OneAccount accountId={accountId} />
    </OperatorFrame>
  )
}

/**
 * Frame of the operator screens, which cover the whole installation. Without a second factor it explains how to set one
 * up.
 */
function OperatorFrame({ title, children }: { title: string; children: ReactNode }) {
  const access = useMe()?.operator
  return (
    <BarePage title={title} size="xl">
      {access === 'ready' ? (
        children
      ) : (
        <Stack gap="md">
          <Title order={1}>{title}</Title>
          <Missing isOn={access === 'code_missing'} />
        </Stack>
      )}
    </BarePage>
  )
}

const Missing = ({ isOn }: { isOn: boolean }) => (
  <Notice tone="warn" title={isOn ? 'Sign in with a code' : 'Set up two-factor sign-in first'}>
    {isOn ? (
      <>
        This session started without a code. <Link to="/logout">Sign out</Link>, then sign in again with a code from
        your authenticator app.
      </>
    ) : (
      <>
        Operators sign in with two factors. <Link to="/settings/account">Set it up</Link> under Settings, Account.
      </>
    )}
  </Notice>
)

type View = z.output<typeof readOperatorAccount.reply>

function OneAccount({ accountId }: { accountId: string }) {
  const account = useOperatorAccount(accountId)
  return (
    <>
      {!account.data && (
        <Title order={1} mb="md">
          Account
        </Title>
      )}
      <Loaded query={account} loading={<LoadingCards count={4} />} failed="The account could not be loaded">
        {(view) => (
          <Stack gap="lg">
            <Summary view={view} />
            {view.problems.length > 0 && <Problems problems={view.problems} />}
            <Card>
              <Title order={2} mb="sm">
                Used this month
              </Title>
              <Meters usage={view.usage} />
            </Card>
            <Stores view={view} />
            <Waiting waiting={view.waiting} />
            <Members members={view.account.members} />
            <Card padding={0}>
              <Title order={2} p="md" pb="xs">
                Operator actions
              </Title>
              {view.actions.length > 0 ? (
                <ActionList rows={view.actions} />
              ) : (
                <Text px="md" pb="md" c="dimmed">
                  No actions yet.
                </Text>
              )}
            </Card>
          </Stack>
        )}
      </Loaded>
    </>
  )
}

function Summary({ view: { account } }: { view: View }) {
  return (
    <Stack gap="md">
      <Group gap="sm">
        <Title order={1}>{account.name}</Title>
        <AccountState account={account} />
      </Group>
      {account.suspendedAt && (
        <Notice tone="bad" title="Sending is suspended">
          {account.suspendedReason} {account.suspendedBy && `By ${account.suspendedBy}, `}
          <DateTime at={account.suspendedAt} />.
        </Notice>
      )}
      <Card>
        <Facts
          entries={[
            ['Owner', account.ownerEmail ?? '-'],
            ['Plan', formatPlan(account)],
            ['Plan source', formatSource(account.source)],
            ['SMS credits', formatBalance(account.creditMicros)],
            ['Since', <DateTime key="since" at={account.createdAt} />],
            ['Id', account.id],
          ]}
        />
        <div style={{ marginTop: 16 }}>
          <AccountActions account={account} />
        </div>
      </Card>
    </Stack>
  )
}

function Stores({ view: { account, stores } }: { view: View }) {
  const view = useView(account.id)
  return (
    <Card>
      <Title order={2} mb="sm">
        Stores
      </Title>
      {stores.length === 0 && <Text c="dimmed">No stores connected.</Text>}
      <ul className="operator-problems">
        {stores.map((store) => (
          <li key={store.id}>
            <div className="operator-problem">
              <strong>{store.name}</strong>
              <Text fz="sm" c="dimmed">
                {store.url}
              </Text>
              <Group gap="xs" mt={4}>
                <StoreState store={store} />
                {store.stopped.map(({ stage, cause, since }) => (
                  <Text key={stage} fz="sm">
                    {stage}: {cause}, <TimeAgo at={since} />
                  </Text>
                ))}
              </Group>
            </div>
            {store.isActive && (
              <Button
                variant="default"
                size="sm"
                aria-label={`View ${store.name}`}
                loading={view.isPending && view.variables === store.id}
                onClick={() => view.mutate(store.id)}
              >
                View
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function StoreState({ store }: { store: View['stores'][number] }) {
  if (!store.isActive) return <StatusBadge tone="quiet" icon={IconPlugOff} label="Disconnected" />
  if (store.stopped.length > 0) return <StatusBadge tone="bad" icon={IconAlertTriangle} label="Stopped" />
  if (store.isPaused) return <StatusBadge tone="warn" icon={IconPlayerPause} label="Paused by the team" />
  return <StatusBadge tone="good" icon={IconCircleCheck} label="Working" />
}

const Waiting = ({ waiting }: Pick<View, 'waiting'>) => (
  <Card>
    <Title order={2} mb="sm">
      Waiting messages
    </Title>
    {waiting.length === 0 ? (
      <Text c="dimmed">None.</Text>
    ) : (
      <Facts
        entries={waiting.map(({ reason, count, oldestAt }) => [
          formatCount(count),
          <span key={reason}>
            {reason ? explain(reason) : 'Scheduled.'} The first was due <DateTime at={oldestAt} />.
          </span>,
        ])}
      />
    )}
  </Card>
)

const Members = ({ members }: Pick<View['account'], 'members'>) => (
  <Card>
    <Title order={2} mb="sm">
      Members
    </Title>
    <ul className="operator-problems">
      {members.map(({ email, name, role, isConfirmed }) => (
        <li key={email}>
          <div className="operator-problem">
            <strong>{name}</strong>
            <Text fz="sm" c="dimmed">
              {email} · {role}
              {!isConfirmed && ' · address not confirmed'}
            </Text>
          </div>
        </li>
      ))}
    </ul>
  </Card>
)

type OpenDialog = 'plan' | 'credits' | 'suspend' | 'resume' | null

/** Actions on an account; each is logged with its operator. */
function AccountActions({ account }: { account: OperatorAccount & { creditMicros: number } }) {
  const { id, suspendedAt } = account
  const [asking, setAsking] = useState<OpenDialog>(null)
  const suspend = useSuspend(id)
  const resume = useResume(id)
  const view = useView(id)
  const close = () => setAsking(null)
  const showWhenDone = (text: string) => ({
    onSuccess: () => {
      announce(text)
      close()
    },
  })
  return (
    <>
      <Group gap="sm">
        <Button variant="default" onClick={() => setAsking('plan')}>
          Set plan
        </Button>
        <Button variant="default" onClick={() => setAsking('credits')}>
          Change credits
        </Button>
        {suspendedAt ? (
          <Button variant="default" onClick={() => setAsking('resume')}>
            Resume sending
          </Button>
        ) : (
          <Button variant="default" color="red" onClick={() => setAsking('suspend')}>
            Suspend sending
          </Button>
        )}
        <Button variant="default" loading={view.isPending} onClick={() => view.mutate(null)}>
          View read-only
        </Button>
      </Group>
      {view.error && (
        <Notice tone="bad" isLive>
          {view.error.message}
        </Notice>
      )}
      {asking === 'plan' && (
        <PlanDialog accountId={id} plan={account.plan} isUnlimited={account.isUnlimited} opened onClose={close} />
      )}
      {asking === 'credits' && (
        <CreditsDialog accountId={id} balance={formatBalance(account.creditMicros)} opened onClose={close} />
      )}
      <NoteDialog
        opened={asking === 'suspend'}
        title="Suspend sending?"
        text="This account sends nothing until you resume. Its data is kept, and its owners are notified by email."
        label="Reason"
        hint="Shown to the account, with the support address"
        isRequired
        isDangerous
        confirmLabel="Suspend sending"
        mutation={suspend}
        onConfirm={(reason) => suspend.mutate(reason, showWhenDone('Sending suspended'))}
        onClose={close}
      />
      <NoteDialog
        opened={asking === 'resume'}
        title="Resume sending?"
        text="Waiting messages that have not expired are sent. The owners are notified."
        label="Note"
        hint="Visible to operators only"
        confirmLabel="Resume sending"
        mutation={resume}
        onConfirm={(note) => resume.mutate(note, showWhenDone('Sending resumed'))}
        onClose={close}
      />
    </>
  )
}

interface Props {
  accountId: string
  /** The account's current credits, formatted. */
  balance: string
  opened: boolean
  onClose: () => void
}

/** Mounted only while open, so it starts empty. */
function CreditsDialog({ accountId, balance, opened, onClose }: Props) {
  const [dollars, setDollars] = useState<number | string>('')
  const [reason, setReason] = useState('')
  const adjust = useAdjustCredits(accountId)
  const onSuccess = () => {
    announce('Credits changed')
    onClose()
  }
  return (
    <Confirm
      opened={opened}
      title="Change credits"
      confirmLabel="Change credits"
      isBusy={adjust.isPending}
      problem={adjust.error?.message}
      onConfirm={() => adjust.mutate({ cents: Math.round(Number(dollars) * 100), reason }, { onSuccess })}
      onClose={onClose}
    >
      <Stack gap="md">
        <NumberInput
          data-autofocus
          label="Dollars"
          description={`The account has ${balance}. A negative amount removes credits.`}
          prefix="$"
          decimalScale={2}
          fixedDecimalScale
          min={-MAX_CREDIT_CENTS / 100}
          max={MAX_CREDIT_CENTS / 100}
          value={dollars}
          onChange={setDollars}
        />
        <Textarea
          label="Reason"
          description="Shown in the account’s transactions"
          required
          autosize
          minRows={2}
          maxLength={MAX_REASON_LENGTH}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </Stack>
    </Confirm>
  )
}

/** Problems that only an operator can fix. */
function Problems({ problems, withAccount = false }: { problems: OperatorProblem[]; withAccount?: boolean }) {
  const [closing, setClosing] = useState<OperatorProblem | null>(null)
  const resolve = useResolve()
  return (
    <Card>
      <Title order={2} mb="sm">
        Open problems
      </Title>
      {problems.length === 0 ? (
        <Text c="dimmed">None.</Text>
      ) : (
        <ul className="operator-problems">
          {problems.map((problem) => (
            <li key={problem.id}>
              <div className="operator-problem">
                <strong>{operatorProblems[problem.kind]}</strong>
                <Text fz="sm" c="dimmed">
                  {withAccount && (
                    <>
                      <Link to={`/operator/${problem.accountId}`}>{problem.accountName}</Link> ·{' '}
                    </>
                  )}
                  {problem.detail} · <TimeAgo at={problem.raisedAt} />
                </Text>
              </div>
              <Button variant="default" size="sm" onClick={() => setClosing(problem)}>
                Close problem
              </Button>
            </li>
          ))}
        </ul>
      )}
      <NoteDialog
        opened={closing !== null}
        title="Close this problem?"
        text="Close it once it is solved. It reopens if it is found again."
        label="Note"
        confirmLabel="Close problem"
        mutation={resolve}
        onConfirm={(note) =>
          resolve.mutate(
            { problemId: closing!.id, note },
            {
              onSuccess: () => {
                announce('Problem closed')
                setClosing(null)
              },
            },
          )
        }
        onClose={() => setClosing(null)}
      />
    </Card>
  )
}
