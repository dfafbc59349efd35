import { LogoMark } from '../../core/ui/Logo.tsx'
import { Thread } from '../../core/ui/Thread.tsx'
import { facts, path, problems, questions } from './copy.ts'
import { Pricing } from './Pricing.tsx'
import { Screenshot } from './Screenshot.tsx'

/**
 * The landing page, rendered at build time, readable without scripts. Values of the running instance are Liquid
 * placeholders that the server fills in.
 */
export function LandingPage() {
  return (
    <>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <Header />
      <main id="content">
        <Hero />
        <Path />
        <Shoppers />
        <Record />
        <Problems />
        <Plugin />
        <Facts />
        <Pricing />
        <Questions />
        <Ending />
      </main>
      <Footer />
    </>
  )
}

function Header() {
  return (
    <header className="top">
      <div className="wrap">
        <a className="logo" href="#content">
          <LogoMark size={32} />
          <span>
            Recoup <small>Abandoned Cart Recovery</small>
          </span>
        </a>
        <nav aria-label="This page">
          <a href="#how">How it works</a>
          <a href="#problems">Why Recoup</a>
          <a href="#pricing">Pricing</a>
        </nav>
        <Doors />
      </div>
    </header>
  )
}

/** Links for new and signed-in visitors; CSS shows the matching one. */
function Doors() {
  return (
    <div className="doors">
      <a className="for-visitors" href="/login">
        Sign in
      </a>
      <a className="button small for-visitors" href="/register">
        Start free
      </a>
      <a className="button small for-members" href="/">
        Open Recoup
      </a>
    </div>
  )
}

function Hero() {
  return (
    <section className="hero">
      <div className="wrap halves">
        <div>
          <h1>
            Win back abandoned carts <em>and see the proof</em>
          </h1>
          <p className="lead">
            Recoup reminds shoppers who abandoned a cart in your WooCommerce or Shopify store, and shows the revenue
            recovered by each message.
          </p>
          <Calls />
          <p className="small-print">Free to start. Nothing is sent until you switch it on.</p>
        </div>
        <Screenshot of="dashboard" isFirst />
      </div>
    </section>
  )
}

function Calls() {
  return (
    <p className="calls">
      <a className="button" href="/register">
        Start free
      </a>
      {'{% if hasDemo %}'}
      <a className="button second" href="/login?demo">
        Try the live demo
      </a>
      {'{% endif %}'}
    </p>
  )
}

function Path() {
  return (
    <section id="how" className="band" aria-labelledby="how-title">
      <div className="wrap">
        <h2 id="how-title">The path of a cart</h2>
        <Thread
          label="The path of a cart"
          stations={path.map(({ id, title, text }) => ({
            key: id,
            label: title,
            outcome: id === 'bought' ? 'won' : 'done',
            detail: text,
          }))}
        />
      </div>
    </section>
  )
}

function Shoppers() {
  return (
    <section aria-labelledby="shoppers-title">
      <div className="wrap">
        <h2 id="shoppers-title">What your shoppers get</h2>
        <p className="lead">An email in your brand, with the cart they abandoned.</p>
        <div className="phones">
          <Screenshot of="mail" />
          <Screenshot of="restore" />
        </div>
      </div>
    </section>
  )
}

function Record() {
  return (
    <section className="band" aria-labelledby="record-title">
      <div className="wrap halves">
        <div>
          <h2 id="record-title">“Why was this sent, or not?”</h2>
          <p className="lead">One click shows what was checked, when, and which check decided.</p>
          {'{% if hasDemo %}'}
          <p>Open the same page in the live demo: abandon a cart there and read the email a minute later.</p>
          {'{% endif %}'}
        </div>
        <Screenshot of="why" />
      </div>
    </section>
  )
}

function Problems() {
  return (
    <section id="problems" aria-labelledby="problems-title">
      <div className="wrap">
        <h2 id="problems-title">Five problems with other recovery tools, solved</h2>
        <dl className="problems">
          {problems.map(({ id, complaint, answer }) => (
            <div key={id} id={id}>
              <dt>{complaint}</dt>
              <dd>{answer}</dd>
            </div>
          ))}
        </dl>
        <p>
          Each of these is tested, not only claimed: <a href="/how-we-test">How we test it</a>
        </p>
      </div>
    </section>
  )
}

function Plugin() {
  return (
    <section className="band" aria-labelledby="plugin-title">
      <div className="wrap halves">
        <div>
          <h2 id="plugin-title">WooCommerce: upload, press Connect</h2>
          <p className="lead">
            There is no key to copy. The plugin sees carts from the first item, in the classic and in the block
            checkout, and asks for consent there.
          </p>
        </div>
        <Screenshot of="plugin" />
      </div>
    </section>
  )
}

function Facts() {
  return (
    <section aria-labelledby="facts-title">
      <div className="wrap">
        <h2 id="facts-title">In figures</h2>
        <dl className="facts">
          {facts.map(({ figure, text }) => (
            <div key={figure}>
              <dt>{figure}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  )
}

function Questions() {
  return (
    <section aria-labelledby="questions-title">
      <div className="wrap narrow">
        <h2 id="questions-title">Questions</h2>
        {questions.map(({ question, answer }) => (
          <details key={question}>
            <summary>{question}</summary>
            <p>{answer}</p>
          </details>
        ))}
      </div>
    </section>
  )
}

function Ending() {
  return (
    <section className="band ending" aria-labelledby="ending-title">
      <div className="wrap">
        <h2 id="ending-title">See it for yourself</h2>
        <p className="lead">
          {'{% if hasDemo %}Abandon a cart, get the email, come back, and see why each step happened.'}
          {'{% else %}Connect your store and preview what would be sent.{% endif %}'}
        </p>
        <Calls />
      </div>
    </section>
  )
}

function Footer() {
  return (
    <footer>
      <div className="wrap">
        <p>{'{{ company }}'}</p>
        <nav aria-label="Small print">
          <a href="/how-we-test">How we test it</a>
          <a href="/terms">Terms</a>
          <a href="/privacy">Privacy</a>
          <a href="/login">Sign in</a>
          <a href="mailto:{{ support }}">Support</a>
        </nav>
      </div>
    </footer>
  )
}
