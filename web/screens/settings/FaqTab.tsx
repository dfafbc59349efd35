import { Accordion, Anchor, Card, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { WITHOUT_SCRIPT_TEXT } from '../../../shared/carts/capture-status.ts'
import { retentionDays } from '../../../shared/workspace/retention.ts'
import { useInstance } from '../../core/access/queries.ts'
import { Empty } from '../../core/ui/Empty.tsx'
import { KeysSteps } from '../../features/stores/KeysHelp.tsx'

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
      <Text className="visually-hidden" role="status">
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

// The fifteen questions of A 2.8, answered for the current product. Answers are paragraphs; `link` leads to the screen.

interface Question {
  /** Hash of the address, so an answer can be linked. */
  id: string
  question: string
  answer: readonly string[]
  steps?: 'keys'
  link?: { to: string; label: string }
}

export const questions: readonly Question[] = [
  {
    id: 'connecting',
    question: 'How do I connect my store?',
    answer: [
      'WooCommerce: download the plugin when you connect a store, upload it in WordPress, open WooCommerce → Recoup and press Connect. No keys to copy. It also works in shops that Recoup cannot reach.',
      'WooCommerce without the plugin: enter the address of your store and a consumer key with its secret. Shopify: enter the address that ends in .myshopify.com, and the client ID and client secret of an app. Recoup checks them immediately, explains any problem, and then imports your orders, customers and products.',
      'To connect another store, choose “Connect another store” in the menu with your store’s name, or under Settings, Store. How many stores you can connect depends on your plan.',
    ],
    link: { to: '/settings', label: 'Store connection' },
  },
  {
    id: 'api-keys',
    question: 'Where do I find my API keys?',
    answer: [
      'With the plugin for WooCommerce you need none. For Shopify you create an app in the Dev Dashboard; the form for connecting a store has each step.',
      'For WooCommerce without the plugin, you create them in your WordPress admin, in five steps:',
    ],
    steps: 'keys',
  },
  {
    id: 'required-settings',
    question: 'Which settings are needed before anything is sent?',
    answer: [
      'A sender name and a postal address. The law requires both in marketing emails, and no flow can be switched on without them. Then read the preview of the recovery flow and switch it on. Until then, nothing is sent.',
      'In a WooCommerce store without the plugin, permalinks must not be “Plain”, and the tracking script should be on every page of your shop.',
    ],
    link: { to: '/settings/sending/sender', label: 'Sender and address' },
  },
  {
    id: 'disconnecting',
    question: 'What happens when I disconnect my store?',
    answer: [
      'Sending stops immediately, unsent messages are cancelled, and the keys are deleted. The store’s data is deleted after 30 days. Reconnecting the same store before that restores everything.',
      'To change only the keys, you do not need to disconnect: “Replace keys” checks the new keys first, and nothing else changes.',
    ],
    link: { to: '/settings', label: 'Disconnect Store' },
  },
  {
    id: 'sync',
    question: 'How often is my store’s data synced?',
    answer: [
      'Orders are synced every 15 minutes. They are read again within the minute before a message is sent, so a purchase ends the reminders. If your store can reach this server, webhooks also report each order as it happens. The tracking script reports carts within seconds.',
      'The plugin reports carts and orders within seconds. If Recoup cannot reach the shop, the plugin also reports changed orders, stock and prices about every minute while WordPress runs its scheduled tasks.',
    ],
    link: { to: '/settings', label: 'Connection doctor' },
  },
  {
    id: 'abandoned',
    question: 'What counts as an abandoned cart?',
    answer: [
      'A cart with items whose shopper has been inactive for 24 hours. You can choose from 15 minutes to 7 days. If an active flow sends its first message earlier, the cart counts as abandoned from then.',
    ],
    link: { to: '/settings/recovery-rules', label: 'Recovery rules' },
  },
  {
    id: 'emails',
    question: 'How do recovery emails work?',
    answer: [
      'Every store has a ready-made flow of three emails: after 1 hour, 24 hours and 72 hours of inactivity. It is off until you switch it on. Each email contains a link that restores the cart, and an unsubscribe link.',
      'Before each email, Recoup checks that the shopper has not bought, may be contacted in their country, and is below the frequency cap. The cart shows what was sent or not, and why.',
    ],
    link: { to: '/flows', label: 'Recovery flows' },
  },
  {
    id: 'templates',
    question: 'Can I change the email templates?',
    answer: [
      'Yes: the subject and text of each step, including the shopper’s name, the cart’s items and the link. The preview uses one of your carts, or a sample cart, and the same code that sends.',
    ],
    link: { to: '/flows', label: 'Recovery flows' },
  },
  {
    id: 'analytics',
    question: 'How is recovered revenue measured?',
    answer: [
      'An order counts as recovered when the shopper clicked a link in a message, or restored the cart from it, in the five days before. You can change the five days. Opening an email never counts. Refunds are subtracted, and each order is counted once.',
    ],
    link: { to: '/settings/recovery-rules', label: 'Attribution window' },
  },
  {
    id: 'coupons',
    question: 'Can I offer coupons?',
    answer: [
      'Yes. The Coupons screen lists your store’s coupons and creates new ones: a percentage or fixed amount, with start, end and an optional usage limit. Your keys need the permission Read/Write; on Shopify the app needs the scope write_discounts. Shoppers redeem a code at your checkout as usual.',
      'Coupons are created in your store, so Recoup must reach it: the plugin does not create them.',
    ],
    link: { to: '/coupons', label: 'Coupons' },
  },
  {
    id: 'customer-data',
    question: 'Which customer data is kept, and for how long?',
    answer: [
      `Name, email, phone and country of your customers, their carts and orders, and the messages to them. No payment data and no IP addresses. It is stored while the store is connected and for 30 days after. Under Settings, Privacy you choose after how many inactive days shoppers’ data is erased. The default for new stores is ${retentionDays.usual} days.`,
      'You can export everything as a file, and delete the account with all its data. Under Settings, Consent, Data requests you can export or erase one person’s data.',
    ],
    link: { to: '/settings/account', label: 'Export and delete' },
  },
  {
    id: 'notifications',
    question: 'Am I notified when something stops working?',
    answer: [
      'Yes. The bell and the Notifications screen list problems with your store’s connection and with messages. The account’s owner also gets an email about problems, and every member chooses what else is emailed.',
      'Recoup also monitors itself. When expected carts, syncs or messages stop, it raises an alarm for the server’s administrator. The connection doctor in Settings, Store shows the state of your store’s connection at any time.',
    ],
    link: { to: '/settings/account/notifications', label: 'Choose what is emailed' },
  },
  {
    id: 'requirements',
    question: 'What does my store need?',
    answer: [
      'WooCommerce 5.0 or later. The plugin needs WordPress 6.2 and PHP 7.4 or later, and a shop that can reach this server. Tested in shops with WooCommerce 9.9 to 11.0 and PHP 8.2.',
      'With keys instead of the plugin, WooCommerce needs permalinks other than “Plain” and an address this server can reach. https is recommended; over http, the keys are not sent but used to sign each request.',
      'Shopify: the Grow plan or a higher one. On lower plans Shopify withholds the emails and phone numbers of your shoppers.',
      `${WITHOUT_SCRIPT_TEXT}. Add the script to the pages of your shop to detect earlier carts. The plugin needs no script.`,
    ],
    link: { to: '/settings/capture-script', label: 'Install cart tracking' },
  },
  {
    id: 'security',
    question: 'How is my data protected?',
    answer: [
      'Store keys are encrypted (AES-256-GCM) and never shown again, not even to you. Passwords are stored as Argon2 hashes. Each account’s data is separate from every other account’s, and team members see and do only what their role allows. You can see all your sessions and sign out everywhere.',
    ],
    link: { to: '/settings/account', label: 'Team and sessions' },
  },
  {
    id: 'support',
    question: 'How do I get help?',
    answer: [
      'Write to the support address below. Include the name of your store and what you see on the screen. Never send us a consumer secret or a password.',
    ],
  },
]

/** Questions that contain every typed word. */
export function findQuestions(typed: string): readonly Question[] {
  const terms = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return questions.filter(({ question, answer }) => {
    const text = `${question} ${answer.join(' ')}`.toLowerCase()
    return terms.every((word) => text.includes(word))
  })
}
