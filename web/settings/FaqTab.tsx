import { Accordion, Anchor, Card, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { useInstance } from '../access/queries.ts'
import { KeysSteps } from '../stores/KeysHelp.tsx'
import { Empty } from '../ui/Empty.tsx'
import { findQuestions, type Question, questions } from './faq.ts'

/** One answer open at a time; it is in the address, so it can be linked and Back works. */
export function FaqTab() {
  const { hash } = useLocation()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const found = findQuestions(typed)
  const open = questions.find(({ id }) => `#${id}` === hash)?.id ?? null
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was opened by its address is brought into view, not what is clicked
  useEffect(() => {
    if (open) document.getElementById(`question-${open}`)?.scrollIntoView({ block: 'center' })
  }, [])
  return (
    <Card>
      <Title order={2}>Questions and answers</Title>
      <TextInput
        my="md"
        type="search"
        aria-label="Search the questions"
        placeholder="Search"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Text className="only-read" role="status">
        {typed.trim() && `${found.length} of ${questions.length} questions`}
      </Text>
      {found.length === 0 ? (
        <Empty icon={IconSearch} text="No question matches. Try fewer words, or contact support." />
      ) : (
        <Accordion
          order={3}
          value={open}
          onChange={(id) => navigate({ hash: id ?? '' }, { replace: true, preventScrollReset: true })}
        >
          {found.map((each) => (
            <Accordion.Item key={each.id} value={each.id} id={`question-${each.id}`}>
              <Accordion.Control>{each.question}</Accordion.Control>
              <Accordion.Panel>
                <Answer {...each} />
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      )}
    </Card>
  )
}

function Answer({ id, answer, steps, link }: Question) {
  const support = useInstance()?.supportEmail
  return (
    <Stack gap="sm">
      {answer.map((paragraph) => (
        <Text key={paragraph}>{paragraph}</Text>
      ))}
      {steps && <KeysSteps />}
      {link && (
        <Anchor component={Link} to={link.to} w="fit-content">
          {link.label}
        </Anchor>
      )}
      {id === 'support' && support && (
        <Anchor href={`mailto:${support}`} w="fit-content">
          {support}
        </Anchor>
      )}
    </Stack>
  )
}
