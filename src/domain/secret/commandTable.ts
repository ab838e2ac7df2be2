/**
 * Where programs take secrets, as data for `commandSecret.ts`. Source: the manuals of the programs. A new command also needs a part in
 * `mayHoldArgument.ts`.
 */

export interface Arguments {
  /** A program, or with its subcommands. */
  readonly commands: ReadonlyArray<ReadonlyArray<string>>
  /** Before the secret. For words by number: letters of options without which there is none, an option, or how a word begins that must be there. */
  readonly options: ReadonlyArray<string>
  /**
   * Directly behind the option, the word after it, either of these; the word of that number that is no option, the last of several;
   * the value of each `NAME=VALUE`; the word after one that is the name of a secret.
   */
  readonly place: "glued" | "next" | "either" | number | "last" | "pairs" | "named"
  /** The secret is behind this sign of the word, as in `user%password`; without the sign there is none. */
  readonly sign: string | null
  /** The value may be an ordinary setting: it is hidden if it looks generated. */
  readonly isSetting: boolean
}

const rule = (
  place: Arguments["place"],
  options: string,
  commands: string,
  more: { readonly sign?: string; readonly isSetting?: true } = {}
): Arguments => ({
  commands: commands.split(", ").map((command) => command.split(" ")),
  options: options === "" ? [] : options.split(" "),
  place,
  sign: more.sign ?? null,
  isSetting: more.isSetting === true
})

const isSetting = true

let made: ReadonlyArray<Arguments> | null = null

/** Made when it is needed: `dd hook event` mostly needs none. */
export const argumentRules = (): ReadonlyArray<Arguments> => {
  made ??= rules()
  return made
}

const rules = (): ReadonlyArray<Arguments> => [
  rule("glued", "-p", "mysql, mysqldump, mysqladmin, mysqlimport, mysqlshow, mysqlcheck, mariadb, mariadb-dump"),
  rule("glued", "-p", "mariadb-admin, 7z, 7za, 7zz, rar, unrar"),
  rule("glued", "-b", "gh secret set"),
  rule(
    "either",
    "-p",
    "sshpass, mongo, mongosh, mongodump, mongorestore, mongoexport, mongoimport, cqlsh, hydra, cypher-shell"
  ),
  rule(
    "either",
    "-p",
    "docker login, podman login, nerdctl login, buildah login, skopeo login, oras login, cosign login"
  ),
  rule("either", "-p", "az login, az acr login, az sql server create, helm registry login, crane auth login, oc login"),
  rule("either", "-p", "cf login, ibmcloud login, twine upload, rabbitmqadmin, dotnet nuget add source, xcrun altool"),
  rule("either", "-p", "expo login, eas login, rdesktop, nxc, netexec, crackmapexec, evil-winrm"),
  rule("next", "-ap", "swaks"),
  rule("next", "-p", "useradd, usermod, kubectl patch secret"),
  rule("either", "-P", "sqlcmd, osql, bcp, zip, unzip, ipmitool, mosquitto_pub, mosquitto_sub, security import"),
  rule("either", "-w", "ldapsearch, ldapadd, ldapmodify, ldapdelete, ldapwhoami, ldappasswd, kadmin"),
  rule("next", "-s", "ldappasswd"),
  rule("next", "-pw", "kadmin.local, plink, pscp"),
  rule("next", "-a --pass AUTH auth requirepass", "redis-cli, valkey-cli"),
  rule("next", "--requirepass", "redis-server, valkey-server"),
  rule("next", "-k -K", "openssl"),
  rule("next", "-pass -passin -passout -password", "openssl", {
    sign: "pass:"
  }),
  rule("next", "--ks-pass --key-pass", "apksigner", { sign: "pass:" }),
  rule("next", "-b --cookie", "curl", { sign: "=" }),
  rule("next", "-u --user -U --proxy-user", "curl", { sign: ":" }),
  rule("next", "-E --cert", "curl", { sign: ":" }),
  rule("next", "--oauth2-bearer --pass --proxy-pass", "curl"),
  rule("next", "-a --auth", "http, https, xh, xhs", { sign: ":" }),
  rule("next", "-a --auth", "http -A bearer, https -A bearer, xh -A bearer, xhs -A bearer"),
  rule("next", "--bearer", "xh, xhs"),
  rule("next", "-a -A", "hey, ab", { sign: ":" }),
  rule("next", "-auth", "java, jenkins-cli", { sign: ":" }),
  rule("next", "-u --user", "lftp", { sign: "," }),
  rule("next", "--user", "etcdctl", { sign: ":" }),
  rule("next", "-U --user", "smbclient, rpcclient", { sign: "%" }),
  rule("next", "-b --body", "gh secret set"),
  rule("next", "-N -P", "ssh-keygen"),
  rule("next", "-t", "doctl auth init, uv publish, influx config create"),
  rule("next", "-k", "dotnet nuget push, nuget push"),
  rule("next", "-r", "gitlab-runner register"),
  rule("next", "-w -p", "security add-generic-password, security add-internet-password, security unlock-keychain"),
  rule("next", "-A -X -c", "snmpget, snmpwalk, snmpset, snmpbulkwalk"),
  rule("next", "-storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass", "keytool, jarsigner"),
  rule("next", "--value", "az keyvault secret set, eas secret:create, llm keys set"),
  rule(
    "next",
    "-v --value -b --body",
    "glab variable set, gh variable set, eas env:create, vercel env add, aws ssm put-parameter",
    {
      isSetting
    }
  ),
  rule("next", "--string-value", "databricks secrets put-secret, databricks secrets put"),
  rule(0, "", "qpdf --encrypt, ConvertTo-SecureString"),
  rule(1, "", "qpdf --encrypt"),
  rule("next", "input_pw owner_pw user_pw", "pdftk"),
  rule("next", "password", "nmcli, mysqladmin"),
  rule("next", "--dbpass", "wp config create, wp core config"),
  rule("next", "-Dsonar.login", "sonar-scanner, mvn, gradle, gradlew"),
  rule("next", "-6 -5 -1 -apr1", "openssl passwd"),
  rule("glued", "/pass: /p:", "cmdkey, xfreerdp"),
  rule("next", "pass", "rclone config create"),
  rule("next", "--plaintext", "caddy hash-password"),
  rule(
    0,
    "",
    "vault login, vault operator unseal, ngrok authtoken, ngrok config add-authtoken, cargo login, snyk auth"
  ),
  rule(0, "", "wandb login, bw unlock, rclone obscure, ansible-vault encrypt_string, cloudflared service install"),
  rule(0, "", "grafana-cli admin reset-admin-password, grafana cli admin reset-admin-password, nuget setapikey"),
  rule(0, "", "neo4j-admin set-initial-password, neo4j-admin dbms set-initial-password, heroku auth:token"),
  rule(1, "", "twilio login"),
  rule(1, "", "sst secret set, dotenvx set, doppler secrets set, bw login, net user"),
  rule(
    1,
    "",
    "glab variable set, netlify env:set, launchctl setenv, convex env set, dotenv set, deno deploy env add, consul kv put, etcdctl put",
    {
      isSetting
    }
  ),
  rule(1, "", "dotnet user-secrets set", { isSetting }),
  rule(2, "", "chamber write"),
  rule(2, "", "cf set-env", { isSetting }),
  rule(3, "", "mc alias set"),
  rule("last", "b", "htpasswd, mosquitto_passwd"),
  rule("last", "--secret", "pulumi config set"),
  rule("last", "", "rabbitmqctl add_user, rabbitmqctl change_password, wpa_passphrase, mkpasswd"),
  rule("last", "", "drush user:password, drush upwd, credstash put"),
  rule(
    "last",
    "http-basic. pypi-token. github-oauth. gitlab-token. bearer. bitbucket-oauth.",
    "poetry config, composer config"
  ),
  rule("last", "", "bundle config", { sign: ":" }),
  rule(0, "", "sqlplus, impdp, expdp, sqlldr", { sign: "/" }),
  rule("named", "", "git config, npm config set, npm set, pnpm config set, pnpm set, yarn config set, poetry config"),
  rule(
    "named",
    "",
    "composer config, pip config set, conda config, aws configure set, gcloud config set, wp config set"
  ),
  rule(
    "named",
    "",
    "jq --arg, dotnet user-secrets set, pulumi config set, crudini, wg set, rclone config create, snow config set"
  ),
  rule(
    "pairs",
    "",
    "fly secrets set, flyctl secrets set, supabase secrets set, doppler secrets set, infisical secrets set"
  ),
  rule("pairs", "--from-literal", "kubectl create secret, oc create secret"),
  rule("pairs", "--secrets --values", "az containerapp secret set, copilot secret init, modal secret create"),
  rule("pairs", "--secrets", "az containerapp create, az containerapp update"),
  rule("pairs", "", "vault kv put, vault kv patch, nomad var put, travis encrypt"),
  rule(
    "pairs",
    "--set --settings",
    "heroku config:set, heroku config:add, dokku config:set, scalingo env-set, railway variables",
    {
      isSetting
    }
  ),
  rule("pairs", "--settings", "az webapp config appsettings set, az functionapp config appsettings set", { isSetting }),
  rule("pairs", "", "vault write, firebase functions:config:set, kubectl set env, oc set env", { isSetting })
]

/**
 * In calls of these, an option with the name of a secret has the secret in the next word, and so have `NAME=VALUE` and the header
 * `NAME:VALUE`. Not programs in which such an option may be alone: `mysql --password shop`.
 */
export const clients: ReadonlyArray<string> =
  "ansible ansible-playbook apksigner argocd aws az buildkite-agent cargo circleci claude clickhouse-client cloudflared codex curl datadog-ci docker doctl dotnet eas firebase fly flyctl flux gcloud gem gh gitlab-runner glab gpg gradle gradlew grpcurl helm hf http https huggingface-cli ibmcloud influx java kafka-configs kadmin kubectl linode-cli modal mount mvn nats neonctl netlify ngrok node npm npx oc op pnpm podman poetry pulumi python python3 rclone rosa s3cmd sentry-cli serverless snow sonar-scanner stripe supabase tailscale terraform tofu trivy turso twine usermod useradd uv vercel wget wp wrangler xcrun xh yarn".split(
    " "
  )

/** What runs code that it is called with. */
export const interpreters: ReadonlyArray<string> =
  "python python3 uv node bun deno ruby php perl rails elixir iex mongo mongosh mysql mariadb psql sqlite3".split(" ")

/** Functions whose first literal argument is a password. */
export const hashes: ReadonlyArray<string> =
  "PASSWORD( bcrypt( hashpw( hashSync( make_password( set_password( setPassword( hash_password( password_hash(".split(
    " "
  )

/** Functions that have one among their arguments. */
export const logins: ReadonlyArray<string> =
  "login( auth( authenticate( create_user( create_superuser( createUser( changeUserPassword( sign_in( signIn( connect(".split(
    " "
  )

/** What writes its arguments to a pipe. */
export const writers = ["echo", "printf", "yes"]

/** What reads a secret from its standard input: programs with their subcommands, and options. */
export const readers: ReadonlyArray<string> = [
  ..."passwd, chpasswd, smbpasswd, vncpasswd, ssh-add, cryptsetup, kinit, kubeseal, argon2, mkpasswd, restic, borg".split(
    ", "
  ),
  ..."secret-tool store, keyring set, pass insert, gopass insert, lpass login, bw unlock, bw login, op signin".split(
    ", "
  ),
  ..."secret set, secret put, secret create, secret add, secrets set, secrets create, secrets versions add, secrets import, secret bulk".split(
    ", "
  ),
  ..."secrets:set, functions:secrets:set, env add, variable set, context create, context store-secret".split(", "),
  ..."devops login, npm login, npm adduser, eas login, databricks configure, rclone obscure".split(", "),
  ..."createuser -P, createuser --pwprompt, read -s, read -rs, read -sp, age -p, psql -c password".split(", "),
  ..."--stdin, --password-stdin, --token-stdin, --with-token, --with-api-key, --passphrase-fd, --data-file=-".split(
    ", "
  )
]

/** What encodes or hashes its standard input, which may be a secret. */
export const encoders = ["base64", "sha256sum", "sha1sum", "md5sum", "openssl dgst", "openssl passwd", "htpasswd"]
