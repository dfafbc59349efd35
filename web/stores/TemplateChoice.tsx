import { Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { type ListedTemplate, TEMPLATE_VARIABLES, type TextChannelView } from '../../shared/text-channels.ts'
import { announce } from '../ui/announce.ts'
import { Notice } from '../ui/Notice.tsx'
import { NotSaved } from '../ui/NotSaved.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import { useChooseTemplate, useRefreshTemplates } from './text-queries.ts'
import { countPlaceholders, renderExample, type Variable, variableNames } from './text-rules.ts'

const keyOf = ({ name, language }: Pick<ListedTemplate, 'name' | 'language'>) => `${name} ${language}`

/** The provider's templates with their approval, and the values for the placeholders of the chosen one. */
export function TemplateChoice({ view }: { view: TextChannelView }) {
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
  const isChosen = (template: ListedTemplate) => view.template !== null && keyOf(view.template) === keyOf(template)
  const [key, setKey] = useState(view.template && usable.some(isChosen) ? keyOf(view.template) : '')
  const [variables, setVariables] = useState<(Variable | '')[]>(view.template?.variables ?? [])
  const template = usable.find((each) => keyOf(each) === key)
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
          ...usable.map((each) => ({ value: keyOf(each), label: `${each.title} (${each.language})` })),
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
          <li key={keyOf(template)}>
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
