import './notifications.css'
import { Card, NativeSelect, Switch, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconArrowLeft, IconMail } from '@tabler/icons-react'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import type {
  MailChoice,
  NotificationChoice,
  NotificationChoices,
} from '../../../shared/workspace/notification-calls.ts'
import {
  readNotificationPreferences,
  updateNotificationPreferences,
} from '../../../shared/workspace/notification-calls.ts'
import {
  getAtOnceLabel,
  type NotificationTopic,
  notificationTopics,
} from '../../../shared/workspace/notification-kinds.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { useMe } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingCards } from '../../core/ui/Loading.tsx'
import { NotSaved } from '../../core/ui/NotSaved.tsx'
import { SaveBar } from '../../core/ui/SaveBar.tsx'

const describeMails = (topic: NotificationTopic): { value: MailChoice; label: string }[] => [
  { value: 'none', label: 'No email' },
  { value: 'at_once', label: getAtOnceLabel(topic) },
  { value: 'daily', label: 'Daily summary' },
]

/** Decision 65: each member has their own settings. */
export function NotificationSettings() {
  const preferences = usePreferences()
  return (
    <>
      <Link to="/settings/account" className="sending-back">
        <IconArrowLeft size={16} aria-hidden />
        All of Account
      </Link>
      <Loaded
        query={preferences}
        loading={<LoadingCards count={1} rows={8} />}
        failed="Your notification settings could not be loaded"
      >
        {(choices) => <Preferences choices={choices} />}
      </Loaded>
    </>
  )
}

function Preferences({ choices }: { choices: NotificationChoices }) {
  const { form, save, submit, discard } = usePreferencesForm(choices)
  const email = useMe()?.email
  return (
    <>
      <Card>
        <Title order={2}>Notifications</Title>
        <Text fz="sm" c="dimmed" mt={4} mb="md">
          Choose in-app and email notifications. {email && `Emails are sent to ${email}.`}
        </Text>
        <ul className="topics">
          {form.values.topics.map(({ topic }, place) => (
            <Topic key={topic} topic={topic} place={place} form={form} />
          ))}
        </ul>
      </Card>
      <Card mt="md">
        <Title order={2}>Weekly report</Title>
        <Text fz="sm" c="dimmed" mt={4} mb="md">
          Every Monday at 8 AM, store time: revenue recovered last week, compared with the week before.
        </Text>
        <Switch
          label="By email"
          aria-label="Weekly report: by email"
          {...form.getInputProps('weeklyReport', { type: 'checkbox' })}
        />
      </Card>
      <SaveBar
        isDirty={form.isDirty()}
        isSaving={save.isPending}
        problem={save.error && <NotSaved>{save.error.message}</NotSaved>}
        onSave={submit}
        onDiscard={discard}
      />
    </>
  )
}

interface TopicProps extends Pick<NotificationChoice, 'topic'> {
  place: number
  form: ReturnType<typeof usePreferencesForm>['form']
}

function Topic({ topic, place, form }: TopicProps) {
  const { label, hint } = notificationTopics[topic]
  return (
    <li className="topic">
      <div className="topic-words">
        <span className="topic-label">{label}</span>
        <span className="topic-hint">{hint}</span>
      </div>
      <Switch
        label="In the bell"
        aria-label={`${label}: in the bell`}
        {...form.getInputProps(`topics.${place}.bell`, { type: 'checkbox' })}
      />
      <NativeSelect
        className="topic-mail"
        leftSection={<IconMail size={16} stroke={1.7} aria-hidden />}
        aria-label={`${label}: by email`}
        data={describeMails(topic)}
        {...form.getInputProps(`topics.${place}.mail`)}
      />
    </li>
  )
}

function usePreferencesForm(choices: NotificationChoices) {
  const save = useSavePreferences()
  const form = useForm<NotificationChoices>({ initialValues: choices })
  useDraft('notification-preferences', form.isDirty() ? form.values : null, form.setValues)
  const submit = () => {
    const { topics, weeklyReport } = form.values
    const changed = {
      topics: topics.filter((_, place) => form.isDirty(`topics.${place}`)),
      ...(form.isDirty('weeklyReport') && { weeklyReport }),
    }
    save.mutate(changed, {
      onSuccess: (saved) => {
        form.setInitialValues(saved)
        form.setValues(saved)
        announce('Notification settings saved')
      },
    })
  }
  const discard = () => {
    save.reset()
    form.reset()
  }
  return { form, save, submit, discard }
}

const preferencesQuery = queryOptions({
  queryKey: ['notification-preferences'],
  queryFn: ({ signal }) => call(readNotificationPreferences, { signal }),
})

const usePreferences = () => useQuery(preferencesQuery)

/** The settings determine what the bell counts and lists. */
function useSavePreferences() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (changed: Partial<NotificationChoices>) => call(updateNotificationPreferences, { body: changed }),
    onSuccess: (saved) => {
      queries.setQueryData(preferencesQuery.queryKey, saved)
      void queries.invalidateQueries({ queryKey: ['notifications'] })
    },
  })
}
