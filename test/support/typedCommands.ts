/** What assistants type: commands with a secret, and ordinary ones that look alike. For the tests of redaction. */

/** The secrets are `hunter2`, `hunter3` and `correcthorse`; nothing else in these is one. */
export const commandsWithSecrets: ReadonlyArray<string> = `
heroku config:set STRIPE=hunter2 LOG_LEVEL=debug -a shop
heroku config:set -a shop STRIPE=hunter2
vercel env add X <<< hunter2
echo hunter2 | vercel env add X production
vercel env add X production <<< "hunter2"
yarn config set npmAuthToken hunter2
poetry config http-basic.x bob hunter2
poetry config pypi-token.pypi hunter2
composer config http-basic.repo.x bob hunter2
composer config --global --auth github-oauth.github.com hunter2
kubectl create secret generic s --from-literal=key=hunter2
kubectl -n prod create secret generic s --from-literal=a=hunter2 --from-literal 'b=hunter3'
git config --global user.password hunter2
git -C web config github.token hunter2
passwd <<< hunter2
sudo passwd bob <<< 'hunter2'
sudo -S apt update <<< hunter2
docker login -u me --password-stdin <<< hunter2
gh secret set API_KEY <<< hunter2
gh secret set API_KEY --body=hunter2
gh secret set API_KEY -bhunter2
cryptsetup open /dev/sdb x <<< hunter2
yes hunter2 | passwd bob
echo hunter2 | npx wrangler secret put API
gcloud secrets versions add x --data-file=- <<< hunter2
printf hunter2 | gcloud secrets create x --data-file=-
fly secrets set DB=hunter2 X="hunter3"
npx supabase secrets set STRIPE=hunter2
doppler secrets set STRIPE hunter2
railway variables --set "STRIPE=hunter2"
netlify env:set STRIPE hunter2 --context production
op item create --category login 'credential[password]=hunter2'
vault kv put -mount=secret app key=hunter2 other=correcthorse
vault write secret/app value=hunter2
consul kv put app/key hunter2
aws --profile x configure set aws_secret_access_key hunter2
aws configure set profile.x.aws_secret_access_key hunter2
aws secretsmanager put-secret-value --secret-id x --secret-string correcthorse
aws ssm put-parameter --name /a --type SecureString --value hunter2
aws rds modify-db-instance --master-user-password correcthorse --apply-immediately
gcloud sql users create bob --password correcthorse
az keyvault secret set --vault-name v -n n --value hunter2
az webapp config appsettings set -n n --settings STRIPE=hunter2 LEVEL=debug
az containerapp secret set -n x --secrets db=hunter2
az sql server create --admin-user a --admin-password correcthorse
pulumi config set --secret dbpw hunter2
terraform apply -var db_password=hunter2
helm upgrade x y --set auth.password=correcthorse --set image.tag=v1.2.3
docker build --build-arg NPM_TOKEN=hunter2 .
docker swarm join --token correcthorse host:2377
redis-cli CONFIG SET requirepass hunter2
redis-server --requirepass hunter2
apksigner sign --ks-pass pass:hunter2 x.apk
ssh-keygen -t ed25519 -N hunter2 -f k
gpg --batch --passphrase correcthorse -d f
ansible-playbook x -e ansible_password=correcthorse
ansible-playbook x.yml -e "ansible_become_pass=hunter2"
SSHPASS=hunter2 sshpass -e ssh bob@host
ansible-vault encrypt_string hunter2 --name x
curl -H X-Api-Key:hunter2 https://h
curl -H "apikey: hunter2" https://h
curl --oauth2-bearer hunter2 https://h
curl --cert c.pem:hunter2 https://h
http https://h Authorization:hunter2
http -a bob:hunter2 https://h
xh -A bearer -a hunter2 https://h
twine upload -u __token__ -p hunter2 dist/a.whl
uv publish --token correcthorse
cargo login hunter2
bundle config set --global gems.x bob:hunter2
dotnet user-secrets set Stripe:Key hunter2
dotnet nuget push a.nupkg -k hunter2
java -Djavax.net.ssl.keyStorePassword=correcthorse -jar x
mount -t cifs -o username=bob,password=correcthorse //h/s /m
xcrun notarytool submit x --apple-id a --password correcthorse --team-id t
ngrok config add-authtoken hunter2
tailscale up --authkey correcthorse
glab variable set X -v hunter2
jq -n --arg token hunter2 '{token: $token}'
echo "password: hunter2" >> config.yml
rclone config create x webdav pass hunter2
mosquitto_passwd -b f bob hunter2
mc alias set shop https://h access hunter2
npx sst secret set Stripe hunter2
./deploy.sh --api-token hunter2
curl -u bob:correcthorse https://h
echo -n hunter2 | base64
nomad var put secrets/x key=hunter2
psql -c "CREATE USER bob PASSWORD 'correcthorse'"
printf 'SECRET_KEY=%s\\n' hunter2 >> .env
printf "DB_HOST=%s\\nDB_PASSWORD=%s\\n" localhost hunter2 > .env
printf '{"password":"%s","user":"%s"}' hunter2 bob
echo "db:5432:shop:bob:hunter2" > ~/.pgpass
echo "*:*:*:postgres:hunter2" >> conf/pg
echo localhost:6543:app:app:correcthorse >> ~/.pgpass && chmod 600 ~/.pgpass
gh secret set K < <(echo -n hunter2)
gcloud secrets create x --data-file=<(echo hunter2)
rsync --password-file=<(echo hunter2) a b
restic -r x --password-command "echo hunter2" backup
mongosh --eval "db.auth('root', 'hunter2')"
docker exec -it m mongosh --eval 'db.changeUserPassword("bob", "hunter2")'
sudo mysql -e "SET PASSWORD FOR 'root'@'localhost' = PASSWORD('hunter2');"
python manage.py shell -c "User.objects.create_superuser('a','a@b.c','hunter2')"
php artisan tinker --execute="User::create(['password'=>bcrypt('correcthorse')])"
node -e "require('bcrypt').hashSync('hunter2', 10)"
psql -c "\\password" <<< hunter2
read -s PW <<< hunter2
cypher-shell -u neo4j -p hunter2
neo4j-admin set-initial-password hunter2
heroku auth:token hunter2
twilio login AC0 hunter2
swaks -au bob -ap hunter2
llm keys set openai --value hunter2
impdp bob/hunter2
`
  .trim()
  .split("\n")

export const ordinaryCommands: ReadonlyArray<string> = `
git config user.name "Alice Example"
git config --global user.email a@b.c
git config --get user.password
git config credential.helper store
git config --global core.editor vim
git config commit.gpgsign true
git config user.signingkey ABCDEF0123456789
git config --list --show-origin
git config pull.rebase false
git commit -m "config: read the api key from the environment"
git commit -m 'Fix password reset'
git log --oneline -5 --author=alice
git checkout -b fix/token-refresh
git push origin HEAD:main
git diff --stat main...HEAD
git stash push -m "wip auth"
kubectl get pods -n prod
kubectl get secret db -o yaml
kubectl get secret db -o jsonpath='{.data.password}' | base64 -d
kubectl describe secret db-credentials
kubectl create namespace staging
kubectl create secret generic s --from-file=key=./key.pem
kubectl create secret tls t --cert=a.pem --key=b.pem
kubectl create configmap c --from-literal=LOG_LEVEL=debug
kubectl delete secret db
kubectl apply -f secret.yaml
kubectl set image deploy/x app=repo/app:1.2.3
kubectl set env deploy/x LOG_LEVEL=debug REGION=us-east-1
kubectl create token builder --duration=1h
kubectl config use-context prod
helm upgrade x y --set image.tag=v1.2.3 --set replicas=3
helm install x y --set image.repository=r.io/a --set service.type=ClusterIP
helm upgrade x y --set image.tag=8f3a2b1c --set ingress.host=a.example.com
echo -n hello | base64
echo \${{ secrets.PASSWORD }} | docker login -u x --password-stdin
echo -n "$PASSWORD" | sha256sum
echo "$KEY" | ssh-add -
curl -u bob https://h
docker run -u 1000:1000 x
nomad var get secrets/x
rdesktop -u bob h
psql -c "ALTER ROLE bob SET search_path TO shop"
helm repo add bitnami https://charts.bitnami.com/bitnami
heroku config:set NODE_ENV=production LOG_LEVEL=debug
heroku config:set WEB_CONCURRENCY=2 -a my-app
heroku config:set API_URL=https://api.example.com REGION=us-east-1
heroku config:get DATABASE_URL
heroku config
vercel env add STRIPE_SECRET_KEY production
vercel env pull .env.local
vercel --prod
netlify env:set NODE_VERSION 22
netlify env:list
fly secrets list
fly secrets set A="$A"
fly deploy --build-arg VERSION=1.2.3
supabase secrets list
supabase secrets set --env-file .env
wrangler secret list
wrangler secret put API_KEY
wrangler deploy
doppler run -- npm start
doppler secrets get STRIPE --plain
railway variables
op item list
op read op://vault/item/password
op item create --category=login --title=x --generate-password
vault kv get secret/app
vault kv put secret/app @data.json
vault status
vault token lookup
vault login -method=oidc role=dev
consul kv get app/key
aws configure list
aws configure set region us-east-1
aws configure set output json --profile dev
aws s3 ls s3://bucket/key
aws secretsmanager get-secret-value --secret-id prod/db
aws secretsmanager list-secrets
aws ssm get-parameter --name /app/password --with-decryption
aws ssm put-parameter --name /app/level --value debug --type String
aws sts get-caller-identity
aws ecr get-login-password --region us-east-1 | docker login --username AWS --password-stdin 1.dkr.ecr.us-east-1.amazonaws.com
aws kms describe-key --key-id alias/x
aws s3api list-objects --bucket b --starting-token abc
gcloud config set project my-project-1
gcloud secrets list
gcloud secrets versions access latest --secret=db-password1
gcloud secrets versions access latest --secret db-password1
helm install x y --set auth.existingSecret=pg-secret1
gcloud auth application-default login
gcloud auth print-access-token
gcloud run deploy x --image gcr.io/p/x:1 --region us-central1
gcloud run deploy x --set-secrets=DB=db:latest
az login
az keyvault secret show --vault-name v --name n
az keyvault secret list --vault-name v
az webapp config appsettings list -g g -n n
az webapp config appsettings set -g g -n n --settings WEBSITES_PORT=8080 NODE_ENV=production
az account set -s sub
pulumi config set aws:region us-east-1
pulumi config set --secret dbpw
pulumi up --yes
terraform plan -var region=us-east-1 -out plan
terraform apply -var-file=secret.tfvars
terraform output -raw db_password
docker build --build-arg NODE_VERSION=22 -t x .
docker build --secret id=npm,src=.npmrc .
docker run -e LOG_LEVEL=debug -p 8080:80 nginx:1.27
docker run --rm -it -v $PWD:/w node:22 bash
docker compose up -d db
docker compose exec db psql -U postgres -c 'select 1'
docker secret ls
docker login ghcr.io
docker swarm join-token worker
docker exec -it db mysql -u root -p shop
ansible-playbook site.yml --ask-vault-pass --ask-become-pass
ansible-playbook site.yml -e env=prod -e version=1.2.3
ansible-vault edit secrets.yml
ansible-vault encrypt secrets.yml
psql -h localhost -U postgres -d shop --password
psql "host=h user=u dbname=d"
pg_dump --no-password -h db shop
mysql --password shop
mysql -e 'select count(*) from tokens'
redis-cli -h cache -p 6379 ping
redis-cli get session:token
redis-cli auth --help
openssl x509 -in cert.pem -noout -text
openssl rand -hex 32
openssl passwd -6
openssl genrsa -out key.pem 2048
ssh-keygen -t ed25519 -C me@host -f key
ssh-keygen -t rsa -N "" -f key
ssh-keygen -lf key.pub
ssh -i key.pem -p 2222 host
curl -s https://api.example.com/v1/users?page_token=abc
curl -H "Content-Type: application/json" -d '{"name":"bob"}' https://h
curl -H "Authorization: Bearer $TOKEN" https://h
curl -H "X-Api-Key: \${API_KEY}" https://h
curl -u "$USER:$PASS" https://h
curl -sS -o /dev/null -w '%{http_code}' localhost:3000/login
curl --cert client.pem --key client.key https://h
curl -E client.pem https://h
curl -b cookies.txt -c cookies.txt https://h
curl -X POST localhost:3000/auth/token
http POST localhost:3000/login email=a@b.c
http GET localhost:3000/users Accept:application/json
http localhost:3000/a page==2
npm config set registry https://packages.example.com/
npm config get prefix
npm config set save-exact true
npm run test -- --token-limit 5
npm login --registry=https://npm.x.y
npm token list
npx wrangler secret list
yarn config set nodeLinker node-modules
yarn config set npmRegistryServer https://r.x.y
pnpm config set store-dir ~/.pnpm
poetry config virtualenvs.in-project true
poetry config --list
composer config minimum-stability dev
composer config repositories.x vcs https://github.com/a/b
bundle config set --local path vendor/bundle
bundle config mirror.https://gems.example.com https://m.x.y
pip config set global.timeout 60
pip install --index-url https://packages.example.com/simple x
uv publish --dry-run
cargo login
cargo test token -- --nocapture
cargo publish --dry-run
dotnet user-secrets list
dotnet user-secrets init
dotnet nuget push a.nupkg --source x
gh secret list
gh secret set API_KEY < key.txt
gh secret set API_KEY --body "$API_KEY"
gh variable set REGION --body us-east-1
gh auth status
gh auth token
gh pr create --title "Add password reset" --body "Adds a token"
gh api repos/a/b/actions/secrets
glab auth status
echo "$PW" | sudo -S ls
echo $TOKEN | docker login --password-stdin
echo "export PATH=$PATH" >> ~/.bashrc
echo hello | grep passwd
echo "password reset works" | tee log
echo done | tee -a secrets.txt
echo "token: missing" >&2
echo "Password: required"
printf 'a\\nb\\n' | sort
yes | apt-get install passwd
yes | npx create-app x
cat <<EOF > config.yml
cat <<'EOF' > src/auth.ts
wc -l <<< "$text"
grep token <<< "$out"
read -r a b <<< "x y"
jq -r .token <<< "$json"
jq -r '.password' secrets.json
jq --arg name bob '.name = $name' a.json
passwd bob
passwd -l bob
sudo passwd root
sudo -u postgres psql
sudo -S true < /dev/null
chpasswd < users.txt
useradd -m -s /bin/bash bob
usermod -aG docker bob
htpasswd -c f bob
rclone config show
rclone copy a b: --transfers 4
restic backup /home --repo /srv
tailscale status
stripe listen --forward-to localhost:3000/hook
ngrok http 3000
ngrok config check
cloudflared tunnel list
firebase deploy --only functions
firebase functions:config:get
java -jar app.jar --server.port=8080 --spring.profiles.active=dev
java -Dfile.encoding=UTF-8 -jar a.jar
mvn -q test -Dtest=TokenTest
gradle test --tests '*AuthTest'
gradlew assemble -Pversion=1.2.3
python manage.py test auth.tests
python -m pytest -k "password or token" tests/
python train.py --max_tokens 512 --tokenizer gpt2
python x.py --key-file a.pem
node server.js --port 3000 --auth basic
node x.js --token $TOKEN
node x.js --password <password>
php artisan migrate
wp config set WP_DEBUG true --raw
wp user list
mc alias list
mc ls play/bucket
net user
net start mysql
claude mcp add x -- npx -y @a/b
claude -p "explain the auth token flow"
codex exec "rename the password field"
sonar-scanner -Dsonar.projectKey=shop
etcdctl get /app/key
snmpwalk -v2c -c public host
ldapsearch -x -b dc=x '(uid=bob)'
keytool -list -keystore k.jks
security find-generic-password -s x -w
mount -t cifs -o credentials=/etc/cred //h/s /m
mount -o remount,rw /
set -euo pipefail; make auth
export NODE_OPTIONS=--max-old-space-size=4096
sed -i 's/tokens/keys/' a.ts
sqlplus /nolog
sqlplus / as sysdba
mkpasswd
gpg --list-secret-keys --keyid-format long
gpg --import key.asc
doctl auth list
modal secret list
modal token info
hf auth whoami
wandb login --relogin
snyk auth
bw unlock --passwordenv BW
bw list items
pass show mail/work
pass the token as an argument
argocd app sync shop
flux get sources git
sst secret list
crudini --get x.ini db password
pdftk a.pdf cat 1-3 output b.pdf
qpdf --decrypt a.pdf b.pdf
etcdctl put /app/level debug
serverless deploy --stage dev --region eu-west-1
The helm chart takes the password from --set auth.password or a secret
Use curl with --user to pass the name and the password
Options: --token string   API token (default "")
  --password PASSWORD  The password of the user
aws: error: argument --secret-string: expected one argument
printf '%s:%s\\n' a1 b2
printf 'token: %s\\n' "$TOKEN"
printf "PORT=%s\\n" 8080 >> .env
echo "0 5432:5432 127.0.0.1:5432:5432"
docker run -p 127.0.0.1:5432:5432 postgres
cat ~/.pgpass
echo "*:*:*:postgres:password" > ~/.pgpass
curl "https://h/x?key=user-settings&auth=none"
curl "https://h/x?sort=key&page_token=abc"
diff <(echo a1) <(echo b2)
git config credential.helper "echo abc1"
python -c "print(login('/home', 'index'))"
python -c "import x; x.connect('localhost')"
node -e "app.connect('http://localhost:3000')"
mongosh --eval 'db.stats()'
mysql -e "SELECT PASSWORD FROM x"
sh -c "echo \\"done\\" && ls -la"
ssh host "cat \\"$HOME/a b\\" | base64"
bash -c 'echo '\\''a b'\\'' | sudo tee f'
`
  .trim()
  .split("\n")

const single = (command: string): string => `'${command.replaceAll("'", "'\\''")}'`
const double = (command: string): string => `"${command.replaceAll(/[\\"$`]/g, "\\$&")}"`

/** How a command is given to another program, by hand or by a program. */
export const commandsWithin: ReadonlyArray<(command: string) => string> = [
  (command) => `sh -c ${single(command)}`,
  (command) => `bash -lc ${double(command)}`,
  (command) => `ssh -p 2222 bob@host ${double(command)}`,
  (command) => `docker exec -it web sh -c ${single(command)}`,
  (command) => `kubectl exec -n prod web -- bash -c ${double(command)}`,
  (command) => `python3 -c ${single(`import os; os.system(${double(command)})`)}`,
  (command) => `python -c ${double(`import os; os.system(${JSON.stringify(command)})`)}`,
  (command) => `ssh host ${double(`sudo sh -c ${single(command)}`)}`,
  (command) => `out=$(${command})`,
  (command) => `cd web && ${command}; ls`
]
