import './texts.css'

import {
  Button,
  Card,
  Group,
  NativeSelect,
  NumberInput,
  SegmentedControl,
  Stack,
  Switch,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconRefresh } from '@tabler/icons-react'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import type { z } from 'zod'
import type { Budget } from '../../../shared/delivery/reminders.ts'
import { readBudget, saveBudget } from '../../../shared/delivery/reminders.ts'
import type { TextChannelView } from '../../../shared/messages/text-channels.ts'
import * as api from '../../../shared/messages/text-channels.ts'
import { type ListedTemplate, TEMPLATE_VARIABLES } from '../../../shared/messages/text-channels.ts'
import { PRICE_CURRENCY, priceList } from '../../../shared/messages/text-prices.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { ApiError, call } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingCards, LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { NotSaved } from '../../core/ui/NotSaved.tsx'
import { SaveBar } from '../../core/ui/SaveBar.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import { FormEnding, SecretInput } from './CredentialParts.tsx'
import { SenderRows } from './SenderRows.tsx'
import { RemoveChannel, TextChannelFrame } from './TextChannelFrame.tsx'
import { channelsQuery, useChannelChange } from './text-queries.ts'
import {
  checkSenders,
  countPlaceholders,
  renderExample,
  type SenderRow,
  toSenderRows,
  toSenders,
  type Variable,
  variableNames,
} from './text-rules.ts'

/** Set-up of SMS or WhatsApp. The budget of both is on the screen of SMS. */
export function TextCards({ channel }: { channel: 'sms' | 'whatsapp' }) {
  const channels = useTextChannels()
  if (channels.isPending) return <LoadingCards count={2} rows={5} />
  if (channels.error && !channels.data) {
    return (
      <Failed title="SMS and WhatsApp could not be loaded" error={channels.error} onRetry={() => channels.refetch()} />
    )
  }
  return (
    <>
      {channel === 'sms' ? <SmsCard view={channels.data.sms} /> : <WhatsappCard view={channels.data.whatsapp} />}
      {channel === 'sms' ? <BudgetCard /> : <BudgetLink />}
    </>
  )
}

type BudgetView = z.output<typeof Budget>

const BudgetLink = () => (
  <Text fz="sm" c="dimmed">
    SMS and WhatsApp share one monthly budget. <Link to="/settings/sending/sms">See the budget</Link>
  </Text>
)

/** Monthly budget for texts, the amount spent, and typical prices. */
function BudgetCard() {
  const budget = useBudget()
  return (
    <Card component="section" aria-label="Budget" style={{ overflow: 'visible' }}>
      <Title order={2}>Budget for SMS and WhatsApp</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        For all stores of the account, per calendar month (UTC). Once it’s used up, messages wait for next month or
        expire.
      </Text>
      <Stack gap="md">
        {budget.isPending && <LoadingList count={2} />}
        {budget.error && (
          <Failed title="The budget could not be loaded" error={budget.error} onRetry={() => budget.refetch()} />
        )}
        {budget.data && <BudgetForm key={String(budget.data.monthly)} budget={budget.data} />}
        <Prices />
      </Stack>
    </Card>
  )
}

const money = (amount: number, currency: string, digits = 2) =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency, minimumFractionDigits: digits }).format(amount)

function BudgetForm({ budget }: { budget: BudgetView }) {
  const mayChange = useHasPermission('billing:write')
  const save = useSaveBudget()
  const [isLimited, setLimited] = useState(budget.monthly !== null)
  const [amount, setAmount] = useState<number | string>(budget.monthly ?? 50)
  // Kept as a string: a number would drop zeros (100.00).
  const isValid = !isLimited || (amount !== '' && Number(amount) >= 0 && Number(amount) <= 1_000_000)
  const newLimit = isLimited ? Number(amount) : null
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (isValid) save.mutate(newLimit, { onSuccess: () => announce('Budget saved') })
  }
  const discard = () => {
    save.reset()
    setLimited(budget.monthly !== null)
    setAmount(budget.monthly ?? 50)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text fz="sm">
          This month: <strong className="tabular">{money(budget.spent, budget.currency)}</strong>
          {budget.monthly !== null && ` of ${money(budget.monthly, budget.currency)}`}
        </Text>
        <Switch
          label="Set a monthly limit"
          checked={isLimited}
          disabled={!mayChange}
          onChange={(event) => setLimited(event.currentTarget.checked)}
        />
        {isLimited && (
          <NumberInput
            label={`Amount in ${budget.currency}`}
            min={0}
            max={1_000_000}
            decimalScale={2}
            clampBehavior="none"
            styles={{ wrapper: { width: 140 } }}
            disabled={!mayChange}
            value={amount}
            error={isValid ? undefined : 'Enter an amount from 0 to 1,000,000'}
            onChange={setAmount}
          />
        )}
        {mayChange ? (
          <SaveBar
            isStanding
            saveLabel="Save budget"
            isDirty={newLimit !== budget.monthly}
            isSaving={save.isPending}
            isDisabled={newLimit === budget.monthly}
            problem={save.error && <NotSaved>{save.error.message}</NotSaved>}
            onSave={submit}
            onDiscard={discard}
          />
        ) : (
          <Notice tone="info">Only the owner or an admin of the account can change this.</Notice>
        )}
      </Stack>
    </form>
  )
}

const countries = new Intl.DisplayNames('en-US', { type: 'region' })

function Prices() {
  return (
    <details className="templates">
      <summary>Approximate message prices</summary>
      <Text fz="sm" mt={6}>
        Estimates, used until your provider reports the actual price. An SMS of several segments costs this amount per
        segment.
      </Text>
      <div className="price-list">
        <Table fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Country</Table.Th>
              <Table.Th className="number">SMS segment</Table.Th>
              <Table.Th className="number">WhatsApp</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {priceList().map(({ country, sms, whatsapp }) => (
              <Table.Tr key={country ?? ''}>
                <Table.Td>{country ? countries.of(country) : 'Other countries'}</Table.Td>
                <Table.Td className="number">{money(sms / 1_000_000, PRICE_CURRENCY, 3)}</Table.Td>
                <Table.Td className="number">{money(whatsapp / 1_000_000, PRICE_CURRENCY, 3)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </details>
  )
}

function SmsCard({ view }: { view: TextChannelView }) {
  return (
    <TextChannelFrame
      view={view}
      about={`${view.state === 'operator' ? '' : 'Sent through your own Twilio account. Twilio bills you directly. '}Shoppers get an SMS only with their express consent.`}
    >
      <SmsForm key={view.version} view={view} />
    </TextChannelFrame>
  )
}

function SmsForm({ view }: { view: TextChannelView }) {
  const save = useSaveSms()
  return (
    <TwilioForm
      view={view}
      isSaved={view.state === 'ready'}
      save={save}
      onSave={(credentials, onError) =>
        save.mutate(credentials, { onSuccess: () => announce('SMS settings saved'), onError })
      }
    />
  )
}

function WhatsappCard({ view }: { view: TextChannelView }) {
  return (
    <TextChannelFrame
      view={view}
      about="Sent by Meta’s Cloud API or by Twilio. Shoppers get messages only with their consent. More than 24 hours after their own last message, only templates approved by WhatsApp are allowed. Marketing to US numbers is refused."
    >
      {view.state === 'ready' && <TemplateChoice key={`template ${view.version}`} view={view} />}
      <WhatsappForm key={view.version} view={view} />
    </TextChannelFrame>
  )
}

function WhatsappForm({ view }: { view: TextChannelView }) {
  const [provider, setProvider] = useState<'meta' | 'twilio'>(view.provider ?? 'meta')
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label="Provider"
        w="fit-content"
        value={provider}
        onChange={(value) => setProvider(value as 'meta' | 'twilio')}
        data={[
          { value: 'meta', label: 'Meta Cloud API' },
          { value: 'twilio', label: 'Twilio' },
        ]}
      />
      {provider === 'meta' ? <MetaForm view={view} /> : <ByTwilioForm view={view} />}
    </Stack>
  )
}

interface MetaFields {
  phoneNumberId: string
  businessAccountId: string
  accessToken: string
  appSecret: string
}

function MetaForm({ view }: { view: TextChannelView }) {
  const save = useSaveWhatsapp()
  const isSaved = view.state === 'ready' && view.provider === 'meta'
  const digits = (value: string) => (/^\d{5,25}$/.test(value.trim()) ? null : 'Digits only, from WhatsApp Manager')
  const secret = (value: string) => (value.trim() || isSaved ? null : 'This field is required')
  const form = useForm<MetaFields>({
    initialValues: {
      phoneNumberId: (isSaved && view.identity.phoneNumberId) || '',
      businessAccountId: (isSaved && view.identity.businessAccountId) || '',
      accessToken: '',
      appSecret: '',
    },
    validate: { phoneNumberId: digits, businessAccountId: digits, accessToken: secret, appSecret: secret },
  })
  const submit = form.onSubmit((values) => {
    const trimmed = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim()]))
    save.mutate(
      { provider: 'meta', ...(trimmed as unknown as MetaFields), version: view.version },
      {
        onSuccess: () => announce('WhatsApp settings saved'),
        onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
      },
    )
  })
  const text = (name: 'phoneNumberId' | 'businessAccountId', label: string) => (
    <TextInput label={label} inputMode="numeric" spellCheck={false} autoComplete="off" {...form.getInputProps(name)} />
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {text('phoneNumberId', 'Phone number ID')}
        {text('businessAccountId', 'WhatsApp Business Account ID')}
        <SecretInput label="Access token" isSaved={isSaved} {...form.getInputProps('accessToken')} />
        <SecretInput label="App secret" isSaved={isSaved} {...form.getInputProps('appSecret')} />
        <CredentialsEnding view={view} save={save} provider="Meta" />
      </Stack>
    </form>
  )
}

function ByTwilioForm({ view }: { view: TextChannelView }) {
  const save = useSaveWhatsapp()
  return (
    <TwilioForm
      view={view}
      isSaved={view.state === 'ready' && view.provider === 'twilio'}
      save={save}
      onSave={(credentials, onError) =>
        save.mutate(
          { provider: 'twilio', ...credentials },
          { onSuccess: () => announce('WhatsApp settings saved'), onError },
        )
      }
    />
  )
}

const buildSelectionKey = ({ name, language }: Pick<ListedTemplate, 'name' | 'language'>) => `${name} ${language}`

/** The provider's templates with their approval, and the values for the placeholders of the chosen one. */
function TemplateChoice({ view }: { view: TextChannelView }) {
  const refresh = useRefreshTemplates()
  const usable = view.templates.filter(({ problem }) => problem === null)
  return (
    <section aria-label="Reminder template">
      <Group justify="space-between" gap="xs" mb={6}>
        <Title order={3} fz="md" fw={550}>
          Reminder template
        </Title>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconRefresh size={14} aria-hidden />}
          loading={refresh.isPending}
          onClick={() => refresh.mutate(undefined)}
        >
          Refresh
        </Button>
      </Group>
      <Stack gap="sm">
        {view.templatesAt && (
          <Text fz="sm" c="dimmed">
            {view.templates.length} {view.templates.length === 1 ? 'template' : 'templates'}, as of{' '}
            <TimeAgo at={view.templatesAt} />
          </Text>
        )}
        {refresh.error && (
          <Notice tone="bad" title="The templates could not be loaded" isLive>
            {refresh.error.message}
          </Notice>
        )}
        {usable.length > 0 ? (
          <Choice view={view} usable={usable} />
        ) : (
          <Notice tone="warn">
            There is no template for reminders yet. Create one in WhatsApp Manager, with a button that links to{' '}
            {location.origin}/c/ followed by a variable. Refresh once it is approved.
          </Notice>
        )}
        <TemplateList templates={view.templates} />
      </Stack>
    </section>
  )
}

function Choice({ view, usable }: { view: TextChannelView; usable: ListedTemplate[] }) {
  const choose = useChooseTemplate()
  const isChosen = (template: ListedTemplate) =>
    view.template !== null && buildSelectionKey(view.template) === buildSelectionKey(template)
  const [key, setKey] = useState(view.template && usable.some(isChosen) ? buildSelectionKey(view.template) : '')
  const [variables, setVariables] = useState<(Variable | '')[]>(view.template?.variables ?? [])
  const template = usable.find((each) => buildSelectionKey(each) === key)
  const places = template ? countPlaceholders(template.text) : 0
  const filled = Array.from({ length: places }, (_, at) => variables[at] ?? '')
  const isSame = template && isChosen(template) && filled.join() === view.template!.variables.join()
  const save = () =>
    choose.mutate(
      { name: template!.name, language: template!.language, variables: filled as Variable[] },
      { onSuccess: () => announce('Template saved') },
    )
  return (
    <>
      <NativeSelect
        label="Template"
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
        data={[
          { value: '', label: 'Choose…' },
          ...usable.map((each) => ({ value: buildSelectionKey(each), label: `${each.title} (${each.language})` })),
        ]}
      />
      {filled.map((variable, at) => (
        <NativeSelect
          // biome-ignore lint/suspicious/noArrayIndexKey: a place is its number
          key={at}
          label={`{{${at + 1}}} is`}
          value={variable}
          onChange={(event) =>
            setVariables(filled.map((each, index) => (index === at ? (event.currentTarget.value as Variable) : each)))
          }
          data={[
            { value: '', label: 'Choose…' },
            ...TEMPLATE_VARIABLES.map((name) => ({ value: name, label: variableNames[name] })),
          ]}
        />
      ))}
      {template && (
        <Text fz="sm" className="template-example">
          {renderExample(template.text, filled)}
          {template.buttonUrlPrefix && `\n[Button to ${template.buttonUrlPrefix}…]`}
        </Text>
      )}
      {choose.error && <NotSaved>{choose.error.message}</NotSaved>}
      <Button
        variant="default"
        w="fit-content"
        disabled={!template || isSame || filled.includes('')}
        loading={choose.isPending}
        onClick={save}
      >
        Use this template
      </Button>
    </>
  )
}

function TemplateList({ templates }: { templates: ListedTemplate[] }) {
  if (templates.length === 0) return null
  return (
    <details className="templates">
      <summary>All templates and their approval</summary>
      <ul>
        {templates.map((template) => (
          <li key={buildSelectionKey(template)}>
            <Group gap="xs" justify="space-between">
              <span>
                <strong>{template.title}</strong> ({template.language}, {template.category})
              </span>
              <Approval template={template} />
            </Group>
            {template.problem && <Text fz="sm">{template.problem}</Text>}
          </li>
        ))}
      </ul>
    </details>
  )
}

function Approval({ template: { status } }: { template: ListedTemplate }) {
  if (status === 'approved') return <StatusBadge tone="good" icon={IconCircleCheck} label="Approved" />
  const label = status.charAt(0).toUpperCase() + status.slice(1)
  return status === 'pending' || status === 'received' ? (
    <StatusBadge tone="warn" icon={IconAlertTriangle} label={label} />
  ) : (
    <StatusBadge tone="bad" icon={IconCircleX} label={label} />
  )
}

interface TwilioValues {
  accountSid: string
  authToken: string
  senders: SenderRow[]
}

interface Credentials {
  accountSid: string
  authToken: string
  senders: ReturnType<typeof toSenders>
  version: TextChannelView['version']
}

interface Props {
  view: TextChannelView
  /** Twilio credentials are stored: an empty token keeps the stored one. */
  isSaved: boolean
  save: { error: Error | null; isPending: boolean }
  onSave: (credentials: Credentials, onError: (error: Error) => void) => void
}

/** A Twilio account with its senders, for SMS and WhatsApp. */
function TwilioForm({ view, isSaved, save, onSave }: Props) {
  const form = useForm<TwilioValues>({
    initialValues: {
      accountSid: (isSaved && view.identity.accountSid) || '',
      authToken: '',
      senders: toSenderRows(isSaved ? view : { senders: [] }),
    },
    validate: (values) => problems(values, isSaved),
  })
  const submit = form.onSubmit(({ accountSid, authToken, senders }) =>
    onSave(
      {
        accountSid: accountSid.trim(),
        authToken: authToken.trim(),
        senders: toSenders(senders),
        version: view.version,
      },
      (error) => error instanceof ApiError && form.setErrors(error.fields),
    ),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label="Account SID"
          placeholder="AC…"
          spellCheck={false}
          autoComplete="off"
          {...form.getInputProps('accountSid')}
        />
        <SecretInput label="Auth token" isSaved={isSaved} {...form.getInputProps('authToken')} />
        <SenderRows
          rows={form.values.senders}
          errors={form.errors}
          onChange={(senders) => form.setFieldValue('senders', senders)}
        />
        <CredentialsEnding view={view} save={save} provider="Twilio" />
      </Stack>
    </form>
  )
}

const problems = (form: TwilioValues, isSaved: boolean): Record<string, string> => ({
  ...(/^AC[0-9a-fA-F]{32}$/.test(form.accountSid.trim())
    ? {}
    : { accountSid: 'AC and 32 digits, from the Twilio console' }),
  ...(form.authToken.trim() || isSaved ? {} : { authToken: 'This field is required' }),
  ...checkSenders(form.senders),
})

function SaveOutcome({ error, provider }: { error: Error | null; provider: string }) {
  if (!error) return null
  const isAnswer = error instanceof ApiError && error.code === 'unprocessable'
  return (
    <Notice tone="bad" title={isAnswer ? `Not saved: answer from ${provider}` : 'Not saved'} isLive>
      {error.message}
    </Notice>
  )
}

interface EndingProps {
  view: TextChannelView
  save: { error: Error | null; isPending: boolean }
  /** Name of the provider. */
  provider: string
}

/** The provider's answer and the form's buttons. */
const CredentialsEnding = ({ view, save, provider }: EndingProps) => (
  <FormEnding problem={<SaveOutcome error={save.error} provider={provider} />} isSaving={save.isPending}>
    <RemoveChannel view={view} />
  </FormEnding>
)

const useTextChannels = () => useQuery(channelsQuery)

const useSaveSms = () =>
  useChannelChange((body: z.input<typeof api.saveSmsChannel.body>) => call(api.saveSmsChannel, { body }))

const useSaveWhatsapp = () =>
  useChannelChange((body: z.input<typeof api.saveWhatsappChannel.body>) => call(api.saveWhatsappChannel, { body }))

const useChooseTemplate = () =>
  useChannelChange((body: z.input<typeof api.chooseWhatsappTemplate.body>) =>
    call(api.chooseWhatsappTemplate, { body }),
  )

const useRefreshTemplates = () => useChannelChange((_: undefined) => call(api.refreshWhatsappTemplates))

const budgetQuery = queryOptions({
  queryKey: ['sending-budget'],
  queryFn: ({ signal }) => call(readBudget, { signal }),
})

const useBudget = () => useQuery(budgetQuery)

function useSaveBudget() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (monthly: number | null) => call(saveBudget, { body: { monthly } }),
    onSuccess: (budget) => queries.setQueryData(budgetQuery.queryKey, budget),
  })
}
