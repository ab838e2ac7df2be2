/** The formats of tokens that are recognised by their form alone: `sk-…`, `ghp_…`. One table for findings and redaction. */

import { isGenerated, isStandIn } from "./looksLive.ts"

export interface TokenFormat {
  /** What it gives access to. */
  readonly name: string
  /** A text without this cannot match. */
  readonly prefix: string
  /** Matches the text to hide. */
  readonly pattern: RegExp
  /** The matches that give access; "none" if it is a test key or a public one. A match is reported if it looks generated. */
  readonly claimed?: RegExp | "none"
  /** The matches that are hidden inside of a word. */
  readonly inWord?: RegExp
}

/** Class names such as `sk-cube-grid` have a token's form, but neither capitals nor digits. */
export const tokenFormats: ReadonlyArray<TokenFormat> = [
  { name: "AWS access key", prefix: "AKIA", pattern: /\bAKIA[A-Z0-9]{16}\b/g },
  { name: "AWS temporary access key", prefix: "ASIA", pattern: /\bASIA[A-Z0-9]{16}\b/g },
  { name: "GitHub token", prefix: "gh", pattern: /\bgh[pousr]_[A-Za-z0-9]{6,255}/g },
  { name: "GitHub token", prefix: "github_pat_", pattern: /\bgithub_pat_\w{6,255}/g },
  { name: "GitLab token", prefix: "glpat-", pattern: /\bglpat-[\w-]{16,64}/g },
  { name: "Slack token", prefix: "xox", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{6,255}/g },
  { name: "Slack app token", prefix: "xapp-", pattern: /\bxapp-\d-[A-Z0-9]{6,20}-\d{6,20}-[a-z0-9]{32,80}/g },
  {
    name: "Slack webhook",
    prefix: "hooks.slack.com",
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/]{20,120}/g
  },
  {
    name: "Discord webhook",
    prefix: "/api/webhooks/",
    pattern: /discord(?:app)?\.com\/api\/webhooks\/\d{16,20}\/[\w-]{60,80}/g
  },
  { name: "Anthropic API key", prefix: "sk-ant-", pattern: /\bsk-ant-[\w-]{6,255}/g },
  {
    name: "OpenAI API key",
    prefix: "sk-",
    pattern: /\bsk-(?!ant-)[\w-]{6,255}/g,
    inWord:
      /^sk-(?=.{0,250}[A-Z])(?=.{0,250}[a-z])(?=.{0,250}\d)(?:(?:proj|svcacct|admin)-[\w-]{32,}|[A-Za-z0-9]{32,})$/
  },
  { name: "Stripe live key", prefix: "k_live_", pattern: /\b[sr]k_live_[A-Za-z0-9]{16,255}/g },
  { name: "Stripe webhook secret", prefix: "whsec_", pattern: /\bwhsec_[A-Za-z0-9+/]{32,128}/g },
  { name: "Google OAuth client secret", prefix: "GOCSPX-", pattern: /\bGOCSPX-[\w-]{28}/g },
  { name: "Google API key", prefix: "AIza", pattern: /\bAIza[\w-]{35}(?![\w-])/g },
  { name: "npm token", prefix: "npm_", pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { name: "PyPI token", prefix: "pypi-AgE", pattern: /\bpypi-AgE[\w-]{50,255}/g },
  { name: "SendGrid key", prefix: "SG.", pattern: /\bSG\.[\w-]{22}\.[\w-]{43}(?![\w-])/g },
  { name: "Twilio API key", prefix: "SK", pattern: /\bSK[0-9a-f]{32}\b/g },
  {
    name: "Azure storage key",
    prefix: "AccountKey=",
    pattern: /\bAccountKey=[A-Za-z0-9+/]{86}==/g,
    // Every storage emulator has the same key.
    claimed: /^AccountKey=(?!Eby8vdM02xNO)/
  },
  { name: "DigitalOcean token", prefix: "_v1_", pattern: /\bdo[opr]_v1_[a-f0-9]{64}\b/g },
  { name: "Hugging Face token", prefix: "hf_", pattern: /\bhf_[A-Za-z0-9]{34}\b/g },
  { name: "Shopify token", prefix: "shp", pattern: /\bshp(?:at|ca|pa|ss)_[A-Za-z0-9]{32,64}\b/g },
  { name: "Databricks token", prefix: "dapi", pattern: /\bdapi[a-fA-F0-9]{32}\b/g },
  { name: "Telegram bot token", prefix: ":AA", pattern: /\b\d{8,10}:AA[\w-]{33}(?![\w-])/g },
  { name: "HashiCorp Vault token", prefix: "hvs.", pattern: /\bhvs\.[\w-]{24,255}/g },
  { name: "OpenRouter API key", prefix: "sk-or-v1-", pattern: /\bsk-or-v1-[a-f0-9]{64}\b/g },
  { name: "Adobe client secret", prefix: "p8e-", pattern: /\bp8e-[A-Za-z0-9]{32}\b/g },
  {
    name: "Authress key",
    prefix: ".acc",
    pattern: /\b(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,120}/g
  },
  { name: "AWS Bedrock key", prefix: "bedrock-api-key-", pattern: /\bbedrock-api-key-[A-Za-z0-9+/]{60,2000}={0,2}/g },
  { name: "GitLab session", prefix: "_gitlab_session=", pattern: /_gitlab_session=[0-9a-z]{32}\b/g },
  { name: "GoCardless token", prefix: "live_", pattern: /\blive_(?=[\w-]{0,39}\d)[\w-]{40}(?![\w-])/g },
  { name: "Grafana key", prefix: "eyJrIjoi", pattern: /\beyJrIjoi[A-Za-z0-9+/]{60,400}={0,2}/g },
  { name: "Hugging Face token", prefix: "api_org_", pattern: /\bapi_org_[A-Za-z]{34}\b/g },
  { name: "42 client secret", prefix: "s-s4t2", pattern: /\bs-s4t2(?:ud|af)-[a-f0-9]{64}\b/g },
  { name: "New Relic key", prefix: "NRII-", pattern: /\bNRII-[A-Za-z0-9-]{32}(?![\w-])/g },
  { name: "SettleMint token", prefix: "sm_", pattern: /\bsm_[aps]at_[A-Za-z0-9]{16}\b/g },
  {
    name: "Twitter bearer token",
    prefix: "A".repeat(22),
    pattern: /\bA{22}(?=[A-Za-z%]{0,60}\d)[A-Za-z0-9%]{80,100}(?![\w%])/g
  },
  { name: "Yandex token", prefix: "t1.", pattern: /\bt1\.[\w-]{20,300}={0,2}\.[\w-]{86}={0,2}/g },
  { name: "age secret key", prefix: "AGE-SECRET-KEY-1", pattern: /\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b/g },
  { name: "Linear API key", prefix: "lin_api_", pattern: /\blin_api_\w{16,255}/g },
  { name: "Notion token", prefix: "ntn_", pattern: /\bntn_\d{11}[A-Za-z0-9]{16,64}/g },
  { name: "Groq API key", prefix: "gsk_", pattern: /\bgsk_[A-Za-z0-9]{20,255}/g },
  { name: "Grafana token", prefix: "gl", pattern: /\bgl(?:c|sa)_[A-Za-z0-9+/_=]{20,520}/g },
  { name: "1Password token", prefix: "ops_ey", pattern: /\bops_ey[A-Za-z0-9+/=]{40,1300}/g },
  { name: "HashiCorp Vault token", prefix: "hv", pattern: /\bhv[br]\.[\w-]{24,320}/g },
  { name: "Vercel token", prefix: "vc", pattern: /\bvc[piark]_[A-Za-z0-9]{20,60}/g },
  { name: "Docker token", prefix: "dckr_pat_", pattern: /\bdckr_pat_[\w-]{20,64}/g },
  { name: "Figma token", prefix: "figd_", pattern: /\bfigd_[\w-]{20,255}/g },
  { name: "Cloudflare token", prefix: "cf", pattern: /\bcf(?:k|ut|at)_[A-Za-z0-9]{20,64}/g },
  { name: "Tailscale key", prefix: "tskey-", pattern: /\btskey-[a-z]{2,20}-\w{8,40}-\w{10,80}/g },
  {
    name: "GitHub token",
    prefix: "ghs_",
    pattern: /\bghs_\d{1,20}_[\w-]{6,255}\.[\w-]{6,2000}\.[\w-]{6,255}/g
  },
  { name: "npm token", prefix: "_authToken=", pattern: /_authToken=[A-Za-z0-9+/_=.-]{16,255}/g },
  { name: "Stripe test key", prefix: "k_test_", pattern: /\b[sr]k_test_[A-Za-z0-9]{10,255}/g, claimed: "none" },
  { name: "Google access token", prefix: "ya29.", pattern: /\bya29\.[\w-]{20,1024}/g },
  { name: "Google refresh token", prefix: "1//0", pattern: /\b1\/\/0[\w-]{30,255}/g },
  { name: "Slack configuration token", prefix: "xoxe.", pattern: /\bxoxe\.xox[bp]-\d-[A-Za-z0-9-]{20,255}/g },
  { name: "Slack token", prefix: "xox", pattern: /\bxox[a-z]-[A-Za-z0-9%-]{6,512}/g, claimed: "none" },
  {
    name: "Azure shared access key",
    prefix: "SharedAccessKey=",
    pattern: /\bSharedAccessKey=[A-Za-z0-9+/]{20,128}={0,2}/g
  },
  { name: "Azure client secret", prefix: "Q~", pattern: /(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/g },
  { name: "Twilio account", prefix: "AC", pattern: /\bAC[0-9a-f]{32}:[0-9a-f]{32}\b/g },
  { name: "GitLab token", prefix: "gl", pattern: /\bgl(?:rt|cbt|ptt|ft|soat|dt|oas)-[\w-]{20,128}/g },
  { name: "Atlassian token", prefix: "TT3", pattern: /\bAT[AC]TT3[\w=-]{100,255}/g },
  { name: "xAI API key", prefix: "xai-", pattern: /\bxai-[A-Za-z0-9]{60,100}\b/g },
  { name: "Perplexity API key", prefix: "pplx-", pattern: /\bpplx-[A-Za-z0-9]{40,64}\b/g },
  { name: "Linear token", prefix: "lin_oauth_", pattern: /\blin_oauth_[A-Za-z0-9]{32,64}\b/g },
  { name: "Notion token", prefix: "ntn_", pattern: /\bntn_[A-Za-z0-9]{40,64}\b/g },
  { name: "Postman API key", prefix: "PMAK-", pattern: /\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}\b/g },
  { name: "Docker token", prefix: "dckr_oat_", pattern: /\bdckr_oat_[\w-]{20,64}/g },
  { name: "Supabase token", prefix: "sbp_", pattern: /\bsbp_(?:v0_|oauth_)?[a-f0-9]{40}\b/g },
  { name: "Supabase secret key", prefix: "sb_secret_", pattern: /\bsb_secret_[\w-]{22,40}/g },
  { name: "RubyGems key", prefix: "rubygems_", pattern: /\brubygems_[a-f0-9]{48}\b/g },
  { name: "1Password token", prefix: "ops_eyJ", pattern: /\bops_eyJ[\w-]{40,4096}/g },
  { name: "Doppler token", prefix: "dp.", pattern: /\bdp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{36,100}/g },
  {
    name: "private key in base64",
    prefix: "LS0tLS1CRUdJTi",
    pattern: /\bLS0tLS1CRUdJTi[A-Za-z0-9+/]{0,24}(?:QUklWQVRF|UFJJVkFURS|BSSVZBVEUg)[A-Za-z0-9+/=]*/g
  },
  { name: "GitLab token", prefix: "gl", pattern: /\bgl(?:ffct|rtr|wt|imt|agent)-[\w-]{18,128}/g },
  { name: "GitLab runner token", prefix: "GR1348941", pattern: /\bGR1348941[\w-]{20,64}/g },
  { name: "Alibaba access key", prefix: "LTAI", pattern: /\bLTAI[A-Za-z0-9]{12,24}\b/g },
  { name: "Bitbucket app password", prefix: "ATBB", pattern: /\bATBB[A-Za-z0-9]{32}\b/g },
  { name: "Bitbucket Data Center token", prefix: "BBDC-", pattern: /\bBBDC-[A-Za-z0-9+/]{40,64}/g },
  { name: "Clojars token", prefix: "CLOJARS_", pattern: /\bCLOJARS_[a-z0-9]{60}\b/g },
  { name: "Defined Networking key", prefix: "dnkey-", pattern: /\bdnkey-[A-Z0-9]{20,40}-[A-Z0-9]{40,64}\b/g },
  { name: "Brevo API key", prefix: "xkeysib-", pattern: /\bxkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}\b/g },
  { name: "Heroku API key", prefix: "HRKU-", pattern: /\bHRKU-[\w-]{36,64}/g },
  { name: "Artifactory API key", prefix: "AKCp", pattern: /\bAKCp[A-Za-z0-9]{60,80}\b/g },
  { name: "Netlify token", prefix: "nfp_", pattern: /\bnfp_[A-Za-z0-9]{36,64}\b/g },
  { name: "New Relic key", prefix: "NRAK-", pattern: /\bNRAK-[A-Z0-9]{27}\b/g },
  { name: "PostHog key", prefix: "ph", pattern: /\bph[acrsx]_[A-Za-z0-9]{36,64}\b/g, claimed: /^ph[sx]_/ },
  { name: "Postman collection token", prefix: "PMAT-", pattern: /\bPMAT-[A-Z0-9]{26}\b/g },
  { name: "Sentry organization token", prefix: "sntrys_", pattern: /\bsntrys_[A-Za-z0-9+/=_-]{60,512}/g },
  { name: "Sentry user token", prefix: "sntryu_", pattern: /\bsntryu_[a-f0-9]{64}\b/g },
  { name: "SonarQube token", prefix: "sq", pattern: /\bsq[apu]_[a-f0-9]{40}\b/g },
  { name: "Tavily API key", prefix: "tvly-", pattern: /\btvly-(?:dev-|prod-)?[A-Za-z0-9]{24,64}\b/g },
  { name: "LlamaCloud API key", prefix: "llx-", pattern: /\bllx-[\w-]{40,64}/g },
  { name: "Amazon MWS token", prefix: "amzn.mws.", pattern: /\bamzn\.mws\.[a-z0-9-]{30,48}/g },
  { name: "Terraform Cloud token", prefix: ".atlasv1.", pattern: /\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,80}/g },
  { name: "Docker Swarm token", prefix: "SWMTKN-", pattern: /\bSWMTKN-1-[a-z0-9-]{60,90}/g },
  { name: "PlanetScale token", prefix: "pscale_", pattern: /\bpscale_(?:tkn|pw|oauth)_[\w.-]{32,64}/g },
  { name: "1Password secret key", prefix: "A3-", pattern: /\bA3-[A-Z0-9]{6}-(?:[A-Z0-9]{5,11}-){3,5}[A-Z0-9]{5}\b/g },
  { name: "Adafruit key", prefix: "aio_", pattern: /\baio_[A-Za-z0-9]{28}\b/g },
  { name: "Aiven password", prefix: "AVNS_", pattern: /\bAVNS_[\w-]{16,40}/g },
  { name: "Airtable token", prefix: "pat", pattern: /\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}\b/g },
  { name: "Apify token", prefix: "apify_api_", pattern: /\bapify_api_[A-Za-z0-9]{36}\b/g },
  { name: "AWS bearer token", prefix: "ABIA", pattern: /\bABIA[A-Z0-9]{16}\b/g },
  { name: "AWS Bedrock key", prefix: "ABSK", pattern: /\bABSK[A-Za-z0-9+/]{60,256}={0,2}/g },
  { name: "AWS context credential", prefix: "ACCA", pattern: /\bACCA[A-Z0-9]{16}\b/g },
  { name: "Azure DevOps token", prefix: "AZDO", pattern: /\b[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b/g },
  { name: "Azure Functions key", prefix: "AzFu", pattern: /(?<![\w-])[\w-]{44}AzFu[\w-]{6}={0,2}/g },
  { name: "Azure storage key", prefix: "+ASt", pattern: /(?<![\w+/])[A-Za-z0-9+/]{76}\+ASt[A-Za-z0-9+/]{6}==/g },
  { name: "Brevo SMTP key", prefix: "xsmtpsib-", pattern: /\bxsmtpsib-[a-f0-9]{64}-[A-Za-z0-9]{16}\b/g },
  { name: "Buildkite token", prefix: "bk", pattern: /\bbk[a-z]{2}_[a-f0-9]{40}\b/g },
  { name: "Cerebras API key", prefix: "csk-", pattern: /\bcsk-[a-z0-9]{48}\b/g },
  { name: "CircleCI token", prefix: "CCIP", pattern: /\bCCIP(?:AT|RJ)_[A-Za-z0-9]{20,24}_[a-f0-9]{40}\b/g },
  { name: "Cloudflare origin key", prefix: "v1.0-", pattern: /\bv1\.0-[a-f0-9]{24}-[a-f0-9]{100,160}\b/g },
  { name: "Confluent secret", prefix: "cflt", pattern: /\bcflt[A-Za-z0-9+/]{60}(?![A-Za-z0-9+/])/g },
  { name: "Contentful token", prefix: "CFPAT-", pattern: /\bCFPAT-[\w-]{43}/g },
  { name: "crates.io token", prefix: "cio", pattern: /\bcio[A-Za-z0-9]{32}\b/g },
  { name: "Cursor key", prefix: "crsr_", pattern: /\bcrsr_[a-f0-9]{64}\b/g },
  { name: "Deno Deploy token", prefix: "dd", pattern: /\bdd[opw]_[A-Za-z0-9]{36}\b/g },
  { name: "Discord bot token", prefix: ".", pattern: /\b[MNO][DTjz][\w-]{22,26}\.[\w-]{6}\.[\w-]{27,40}/g },
  { name: "Dropbox token", prefix: "sl.", pattern: /\bsl\.(?:u\.)?[\w-]{100,1400}/g },
  { name: "Duffel token", prefix: "duffel_", pattern: /\bduffel_(?:live|test)_[\w=-]{43}/g, claimed: /^duffel_live/ },
  { name: "Dynatrace token", prefix: "dt0", pattern: /\bdt0[a-zA-Z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b/g },
  { name: "EasyPost key", prefix: "EZ", pattern: /\bEZ[AT]K[A-Za-z0-9]{54}\b/g, claimed: /^EZA/ },
  { name: "ElevenLabs key", prefix: "sk_", pattern: /\bsk_[a-f0-9]{48}\b/g },
  { name: "Facebook token", prefix: "EAA", pattern: /\bEAA[A-Z][A-Za-z0-9]{80,500}/g },
  { name: "Firecrawl key", prefix: "fc-", pattern: /\bfc-[a-f0-9]{32}\b/g },
  {
    name: "Flutterwave key",
    prefix: "FLWSECK",
    pattern: /\bFLWSECK(?:_TEST)?-[A-Za-z0-9]{12,40}/g,
    claimed: /^FLWSECK-/
  },
  { name: "Firebase Cloud Messaging key", prefix: ":APA91b", pattern: /\bAAAA[\w-]{7}:APA91b[\w-]{134}/g },
  { name: "Fly.io token", prefix: "fm", pattern: /\bfm(?:1[ar]|2)_[A-Za-z0-9+/_-]{40,4096}={0,2}/g },
  { name: "Fly.io token", prefix: "fo1_", pattern: /\bfo1_[\w-]{43}/g },
  { name: "Frame.io token", prefix: "fio-u-", pattern: /\bfio-u-[\w=-]{64}/g },
  { name: "Google API key", prefix: "AQ.Ab", pattern: /\bAQ\.Ab[\w-]{46,80}/g },
  { name: "Harness token", prefix: "at.", pattern: /\b[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}\b/g },
  { name: "Honeycomb key", prefix: "hc", pattern: /\bhc[a-z](?:i[ck]|mk)_[a-z0-9]{32,64}\b/g },
  { name: "HubSpot token", prefix: "pat-", pattern: /\bpat-[a-z]{2}\d-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/g },
  { name: "Infracost key", prefix: "ico-", pattern: /\bico-[A-Za-z0-9]{32}\b/g },
  { name: "Instagram token", prefix: "IG", pattern: /\bIG(?:Q[VW]|AA)[\w-]{80,500}/g },
  { name: "Intercom token", prefix: "dG9rO", pattern: /\bdG9rO[A-Za-z0-9+/]{50,60}={0,2}/g },
  { name: "Ionic token", prefix: "ion_", pattern: /\bion_[a-z0-9]{42}\b/g },
  { name: "JFrog reference token", prefix: "cmVmd", pattern: /\bcmVmd[A-Za-z0-9]{59}\b/g },
  { name: "Jina key", prefix: "jina_", pattern: /\bjina_[\w-]{60,70}/g },
  { name: "LangSmith key", prefix: "lsv2_", pattern: /\blsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}\b/g },
  { name: "LaunchDarkly key", prefix: "api-", pattern: /\bapi-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/g },
  { name: "LaunchDarkly key", prefix: "sdk-", pattern: /\bsdk-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/g },
  { name: "Mailgun key", prefix: "key-", pattern: /\bkey-[a-f0-9]{32}\b/g },
  {
    name: "Mailgun key",
    prefix: "-",
    pattern: /\b[0123456789abcdef][0123456789abcdef][a-f0-9]{30}-[a-f0-9]{8}-[a-f0-9]{8}(?![\w-])/g
  },
  { name: "Razorpay key", prefix: "rzp_", pattern: /\brzp_(?:live|test)_[A-Za-z0-9]{14}\b/g, claimed: /^rzp_live/ },
  {
    name: "Vercel store token",
    prefix: "vercel_blob_rw_",
    pattern: /\bvercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{30}\b/g
  },
  { name: "Fireworks key", prefix: "fw_", pattern: /\bfw_(?=[A-Za-z]{0,20}\d)[A-Za-z0-9]{20,40}\b/g },
  { name: "E2B key", prefix: "e2b_", pattern: /\be2b_[a-f0-9]{40}\b/g },
  { name: "Mapbox token", prefix: "k.eyJ", pattern: /\b[st]k\.eyJ[\w-]{40,400}\.[\w-]{20,64}/g },
  { name: "MaxMind key", prefix: "_mmk", pattern: /\b[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b/g },
  { name: "Mollie or Lob key", prefix: "live_", pattern: /\blive_(?=[A-Za-z]{0,35}\d)[A-Za-z0-9]{30,35}\b/g },
  { name: "MongoDB Atlas secret", prefix: "mdb_sa_sk_", pattern: /\bmdb_sa_sk_[\w-]{34,60}/g },
  { name: "Neon key", prefix: "napi_", pattern: /\bnapi_[a-z0-9]{64}\b/g },
  { name: "ngrok token", prefix: "_", pattern: /\b[123][A-Za-z0-9]{26}_\d[A-Za-z0-9]{17,22}\b/g },
  { name: "Notion token", prefix: "secret_", pattern: /\bsecret_[A-Za-z0-9]{43}\b/g },
  { name: "NuGet key", prefix: "oy2", pattern: /\boy2[a-z0-9]{43}\b/g },
  { name: "NVIDIA key", prefix: "nvapi-", pattern: /\bnvapi-[\w-]{60,80}/g },
  { name: "Octopus Deploy key", prefix: "API-", pattern: /\bAPI-[A-Z0-9]{26,32}\b/g },
  { name: "Okta token", prefix: "SSWS 00", pattern: /\bSSWS 00[\w-]{20,60}/g },
  { name: "OpenShift token", prefix: "sha256~", pattern: /\bsha256~[\w-]{43}/g },
  {
    name: "Paddle key",
    prefix: "pdl_",
    pattern: /\bpdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}\b/g,
    claimed: /^pdl_live/
  },
  { name: "Pinecone key", prefix: "pcsk_", pattern: /\bpcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,70}\b/g },
  {
    name: "Plaid token",
    prefix: "access-",
    pattern: /\baccess-(?:sandbox|development|production)-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/g,
    claimed: /^access-p/
  },
  { name: "Prefect key", prefix: "pn", pattern: /\bpn[bu]_[A-Za-z0-9]{36}\b/g },
  { name: "Pulumi token", prefix: "pul-", pattern: /\bpul-[a-f0-9]{40}\b/g },
  { name: "ReadMe key", prefix: "rdme_", pattern: /\brdme_[a-z0-9]{70}\b/g },
  { name: "Render key", prefix: "rnd_", pattern: /\brnd_[A-Za-z0-9]{28,36}\b/g },
  { name: "Replicate token", prefix: "r8_", pattern: /\br8_[A-Za-z0-9]{37}\b/g },
  { name: "Resend key", prefix: "re_", pattern: /\bre_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b/g },
  { name: "Rootly key", prefix: "rootly_", pattern: /\brootly_[a-f0-9]{64}\b/g },
  { name: "Scalingo token", prefix: "tk-us-", pattern: /\btk-us-[\w-]{48}/g },
  {
    name: "Shippo token",
    prefix: "shippo_",
    pattern: /\bshippo_(?:live|test)_[a-f0-9]{40}\b/g,
    claimed: /^shippo_live/
  },
  { name: "Snyk token", prefix: "snyk_", pattern: /\bsnyk_[su]at\.[a-f0-9]{8}\.[\w-]{8,400}\.[\w-]{8,200}/g },
  { name: "Sourcegraph token", prefix: "sgp_", pattern: /\bsgp_(?:[a-f0-9]{16}_|local_)?[A-Za-z0-9]{40,64}\b/g },
  { name: "Square access token", prefix: "EAAA", pattern: /\bEAAA[\w-]{60}(?![\w-])/g },
  { name: "Square secret", prefix: "sq0", pattern: /\bsq0(?:at|cs)[bp]-[\w-]{22,43}/g },
  {
    name: "Teams webhook",
    prefix: "webhook.office.com/",
    pattern: /webhook\.office\.com\/webhookb2\/[\w@/-]{60,255}/g
  },
  { name: "Tencent Cloud key", prefix: "AKID", pattern: /\bAKID[A-Za-z0-9]{32}\b/g },
  { name: "Together AI key", prefix: "tgp_v1_", pattern: /\btgp_v1_[\w-]{43}/g },
  { name: "Typeform token", prefix: "tfp_", pattern: /\btfp_[\w.=-]{59}/g },
  { name: "Weights & Biases key", prefix: "wandb_v1_", pattern: /\bwandb_v1_[\w-]{40,120}/g },
  { name: "Yandex Cloud key", prefix: "AQVN", pattern: /\bAQVN[\w-]{35,38}/g },
  { name: "Yandex token", prefix: "y0_", pattern: /\by0_[\w-]{50,64}/g },
  { name: "AWS AppSync key", prefix: "da2-", pattern: /\bda2-[a-z0-9]{26}\b/g },
  { name: "Dependency-Track key", prefix: "odt_", pattern: /\bodt_[A-Za-z0-9]{32,64}\b/g },
  { name: "New Relic key", prefix: "NR", pattern: /\bNR(?:AA-[a-f0-9]{27}|RA-[a-f0-9]{42}|IQ-[\w-]{32})(?![\w-])/g },
  { name: "New Relic license key", prefix: "NRAL", pattern: /(?<![A-Za-z0-9])[a-f0-9]{36}NRAL\b/g },
  { name: "Pixie key", prefix: "px-", pattern: /\bpx-(?:dep|api)-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/g },
  { name: "Salesforce token", prefix: "!", pattern: /\b00D[A-Za-z0-9]{12}(?:[A-Za-z0-9]{3})?![\w.]{80,130}/g },
  { name: "StackHawk key", prefix: "hawk.", pattern: /\bhawk\.[\w-]{20}\.[\w-]{20}(?![\w-])/g },
  {
    name: "Teams webhook",
    prefix: "/IncomingWebhook/",
    pattern: /office\.com\/webhook(?:b2)?\/[a-f0-9@-]{73}\/IncomingWebhook\/[a-f0-9]{32}\/[a-f0-9-]{36}/g
  },
  { name: "Twitch stream key", prefix: "live_", pattern: /\blive_\d{6,12}_[A-Za-z0-9]{28,32}\b/g },
  {
    name: "Zapier webhook",
    prefix: "hooks.zapier.com/hooks/catch/",
    pattern: /hooks\.zapier\.com\/hooks\/catch\/\d{6,12}\/[a-z0-9]{7,12}/g
  }
]

/** Those that depend on the name before the value, which `assignedSecret` hides. */
export const namedFormats: ReadonlyArray<Pick<TokenFormat, "name" | "pattern">> = [
  {
    name: "AWS secret key",
    pattern: /aws_?secret_?(?:access_?)?key["']?\s{0,4}(?:=>|[:=])\s{0,4}["']?[A-Za-z0-9/+=]{40}(?![A-Za-z0-9/+=])/i
  },
  {
    name: "API key",
    pattern:
      /(?:heroku|hubspot|kucoin|snyk)[\w.-]{0,20}(?:key|token|secret)["']?\s{0,4}(?:=>|[:=])\s{0,4}["']?[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/i
  }
]

/** In characters, without its prefix. */
const shortestReported = 10

/** The first token in a text that is reported, or else one that is not. */
export const tokenIn = (text: string) => {
  let found: { readonly name: string; readonly isReported: boolean } | null = null
  for (const { claimed, name, pattern, prefix } of tokenFormats) {
    const token = text.includes(prefix) ? text.matchAll(pattern).next().value?.[0] : undefined
    if (token === undefined) continue
    const rest = token.replace(prefix, "")
    const isGiven = claimed !== "none" && claimed?.test(token) !== false
    const isReported = isGiven && rest.length >= shortestReported && !isStandIn(rest) && isGenerated(rest)
    if (found === null || isReported) found = { name, isReported }
    if (isReported) break
  }
  return found
}
